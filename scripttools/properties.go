package scripttools

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Property is one property of what a tool takes, as its input schema has it.
type Property struct {
	// Name is the key.
	Name string
	// Types are its types in the words of JSON Schema; empty where any is taken.
	Types []string
	// Values are the only ones that it takes, as JSON; empty where there are others.
	Values []json.RawMessage
	// Bounds say what else holds of its value, a phrase each, such as "1 to 100" or "at least 1
	// entry".
	Bounds []string
	// Default is what a run has without it, as JSON; empty if there is none.
	Default json.RawMessage
	// Description is what the schema says of it.
	Description string
	// Required says that a run has to give it.
	Required bool
}

// Properties are those of an input schema: the required ones first, each part by name. A
// schema that names none, or is none, has none.
func Properties(schema json.RawMessage) (all []Property) {
	r := &argumentReader{root: schema}
	top := r.node(schema)
	for _, name := range slices.Sorted(maps.Keys(top.Properties)) {
		n := r.node(top.Properties[name])
		all = append(all, Property{
			Name: name, Types: n.types(), Values: n.values(), Bounds: n.words(), Default: n.Default, Description: strings.TrimSpace(n.Description),
			Required: slices.Contains(top.Required, name),
		})
	}
	slices.SortStableFunc(all, func(a, b Property) int {
		switch {
		case a.Required == b.Required:
			return 0
		case a.Required:
			return -1
		}
		return 1
	})
	return all
}

// values are the only ones that the schema takes.
func (n schemaNode) values() []json.RawMessage {
	if len(n.Enum) == 0 && len(n.Const) > 0 {
		return []json.RawMessage{n.Const}
	}
	return n.Enum
}

// String is what it takes, in words.
func (i Property) String() string {
	text := expected(i.Types)
	if len(i.Types) == 0 {
		text = "anything"
	}
	if len(i.Values) > 0 {
		var values []string
		for _, value := range i.Values {
			values = append(values, string(value))
		}
		text = strings.Join(values, " or ")
	}
	for _, bound := range i.Bounds {
		text += ", " + bound
	}
	switch {
	case i.Required:
		text += ", required"
	case len(i.Default) > 0:
		text += ", default " + string(i.Default)
	}
	return text
}
