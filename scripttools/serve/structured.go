package serve

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/jsonbound"
)

// resultKey is the member that holds a value that is no object. In the versions of the
// protocol that clients speak structured content is an object, and some clients take a
// text that is JSON for it: without the member they refuse a list or a number.
const resultKey = "result"

// output is what a tool's listed output schema promises of its values.
type output struct {
	declared bool // there is one
	wrapped  bool // values are members of an object
}

// outputSchema is an output schema as it is listed, and whether values are members of an
// object there. A schema that does not say which of both its values are is not listed.
func outputSchema(schema json.RawMessage) (listed any, wrapped bool) {
	var head struct {
		Type json.RawMessage `json:"type"`
	}
	if json.Unmarshal(schema, &head) != nil || head.Type == nil {
		return nil, false
	}
	var name string
	var names []string
	switch {
	case json.Unmarshal(head.Type, &name) == nil:
		names = []string{name}
	case json.Unmarshal(head.Type, &names) != nil:
		return nil, false
	}
	if name == "object" {
		return schema, false
	}
	if len(names) == 0 || slices.Contains(names, "object") {
		return nil, false
	}
	wrap, ok := wrappedSchema(schema)
	if !ok {
		return nil, false
	}
	return wrap, true
}

// wrappedSchema is the schema of an object with one member. It reports false if a
// reference in the schema means a place that moves.
func wrappedSchema(schema json.RawMessage) (json.RawMessage, bool) {
	var inner map[string]json.RawMessage
	if json.Unmarshal(schema, &inner) != nil || !refersToDefinitions(schema) {
		return nil, false
	}
	outer := map[string]any{"type": "object", "required": []string{resultKey}, "additionalProperties": false}
	for _, key := range []string{"$schema", "$defs", "definitions"} {
		if text, ok := inner[key]; ok {
			outer[key] = text
			delete(inner, key)
		}
	}
	outer["properties"] = map[string]any{resultKey: inner}
	text, err := json.Marshal(outer)
	return text, err == nil
}

// refersToDefinitions reports whether all references of a schema are to its definitions.
func refersToDefinitions(schema json.RawMessage) bool {
	key := ""
	for m := jsonbound.Scan(schema); m.Next(); {
		switch text := string(schema[m.Begin:m.End]); {
		case m.Kind == ':':
		case m.Kind != '"':
			key = ""
		case text == `"$dynamicRef"`, text == `"$recursiveRef"`, text == `"$anchor"`, text == `"$id"`:
			return false
		case key == `"$ref"` && !strings.HasPrefix(text, `"#/$defs/`) && !strings.HasPrefix(text, `"#/definitions/`):
			return false
		default:
			key = text
		}
	}
	return true
}

// structured is a value as structured content; nil for a text that nobody takes for JSON.
func structured(value json.RawMessage, wrapped bool) json.RawMessage {
	switch {
	case len(value) == 0:
		return nil
	case isObject(value) && !wrapped:
		return value
	case value[0] == '"' && !wrapped:
		var text string
		if !strings.ContainsRune("{[-0123456789tfn \\", rune(value[1])) || json.Unmarshal(value, &text) != nil || !json.Valid([]byte(text)) {
			return nil
		}
	}
	const begin = `{"` + resultKey + `":`
	member := make(json.RawMessage, 0, len(begin)+len(value)+1)
	return append(append(append(member, begin...), value...), '}')
}
