package serve

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/clip"
)

// deepest is how far below an input schema properties are looked at.
const deepest = 4

// inputSchema is an input schema as clients take it. It says that inputs are objects, and
// which properties there are; a property with a default is not required, since some
// clients refuse a call without it; and the descriptions say the constraints, which some
// clients drop. Arguments are checked against the tool's own schema.
func inputSchema(schema json.RawMessage) json.RawMessage {
	members, ok := membersOf(schema)
	if !ok {
		members = nil // true accepts any
	}
	if typeOf(schema) != "object" {
		members = set(members, "type", json.RawMessage(`"object"`))
	}
	if members.get("properties") == nil {
		members = set(members, "properties", json.RawMessage(`{}`))
	}
	return explained(members, deepest).text()
}

// explained has the constraints of properties in their descriptions.
func explained(schema ordered, depth int) ordered {
	properties, ok := membersOf(schema.get("properties"))
	if !ok || depth == 0 {
		return schema
	}
	var required []string
	_ = json.Unmarshal(schema.get("required"), &required)
	before := len(required)
	for i, p := range properties {
		property, ok := membersOf(p.value)
		if !ok {
			continue
		}
		if property.get("default") != nil {
			required = slices.DeleteFunc(required, func(name string) bool { return name == p.key })
		}
		property = described(explained(property, depth-1))
		if items, ok := membersOf(property.get("items")); ok {
			property = set(property, "items", explained(items, depth-1).text())
		}
		properties[i].value = property.text()
	}
	schema = set(schema, "properties", properties.text())
	switch text, err := json.Marshal(required); {
	case err != nil || len(required) == before:
	case len(required) == 0:
		schema = slices.DeleteFunc(slices.Clone(schema), func(m orderedMember) bool { return m.key == "required" })
	default:
		schema = set(schema, "required", text)
	}
	return schema
}

// described is a property whose description says its constraints.
func described(property ordered) ordered {
	var about string
	_ = json.Unmarshal(property.get("description"), &about)
	says := constraints(property, strings.ToLower(about))
	if says == "" {
		return property
	}
	text, err := json.Marshal(strings.TrimSpace(about + " (" + says + ")"))
	if err != nil {
		return property
	}
	return set(property, "description", text)
}

// longest is how much of a pattern or a default is told, in bytes.
const longest = 100

// constraints are those of a property in words, but for what its description, in lower
// case, says already.
func constraints(property ordered, about string) string {
	var all []string
	bounds := func(least, most, unit string) {
		low, high := string(property.get(least)), string(property.get(most))
		if unit != "" {
			unit = " " + unit
		}
		switch {
		case low != "" && high != "":
			all = append(all, low+" to "+high+unit)
		case low != "":
			all = append(all, "at least "+low+unit)
		case high != "":
			all = append(all, "at most "+high+unit)
		}
	}
	bounds("minimum", "maximum", "")
	for _, c := range []struct{ key, says string }{{"exclusiveMinimum", "more than "}, {"exclusiveMaximum", "less than "}, {"multipleOf", "a multiple of "}} {
		if value := property.get(c.key); value != nil {
			all = append(all, c.says+string(value))
		}
	}
	bounds("minLength", "maxLength", "characters")
	bounds("minItems", "maxItems", "items")
	var pattern string
	if json.Unmarshal(property.get("pattern"), &pattern) == nil && pattern != "" && len(pattern) <= longest {
		all = append(all, "matches "+pattern)
	}
	if value := property.get("default"); value != nil && len(value) <= longest && !strings.Contains(about, "default") {
		all = append(all, "default "+string(value))
	}
	return clip.Head(strings.Join(all, "; "), 4*longest)
}

// ordered is a JSON object whose members keep their order: authors put what matters first.
type ordered []orderedMember

type orderedMember struct {
	key   string
	value json.RawMessage
}

// membersOf reads a JSON object; false if it is another value.
func membersOf(text json.RawMessage) (all ordered, ok bool) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if begin, err := decoder.Token(); err != nil || begin != json.Delim('{') {
		return nil, false
	}
	for decoder.More() {
		key, err := decoder.Token()
		var value json.RawMessage
		if err = cmp.Or(err, decoder.Decode(&value)); err != nil {
			return nil, false
		}
		all = append(all, orderedMember{fmt.Sprint(key), value})
	}
	return all, true
}

func (o ordered) get(key string) json.RawMessage {
	for _, m := range o {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

// set is a copy with a member replaced, or added.
func set(o ordered, key string, value json.RawMessage) ordered {
	o = slices.Clone(o)
	if i := slices.IndexFunc(o, func(m orderedMember) bool { return m.key == key }); i >= 0 {
		o[i].value = value
		return o
	}
	return append(o, orderedMember{key, value})
}

func (o ordered) text() json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		_ = quoteTo(&b, m.key) // a buffer takes all
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}
