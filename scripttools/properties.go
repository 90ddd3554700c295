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
	// Values are the only ones that it takes, as JSON; empty where there are others. Properties
	// that refer to the same values have the same list: do not change it.
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
	// Cut says that the schema says more of it than this: it leads through more parts than are
	// looked at.
	Cut bool
}

// Properties are those of an input schema: the required ones first, each part by name. A
// schema that names none, or is none, has none. Of a schema whose parts refer to each other
// very often only the first 100,000 are looked at; [Property.Cut] says so.
func Properties(schema json.RawMessage) (all []Property) {
	tree := readSchema(schema)
	top := tree.together(tree.root)
	properties, required := top.properties(), top.required()
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		n := tree.together(properties[name])
		all = append(all, Property{
			Name: name, Types: n.types(), Values: tree.valuesOf(n), Bounds: n.bounds(), Default: tree.defaultOf(n), Description: strings.TrimSpace(n.text("description")),
			Required: required[name], Cut: top.cut || n.cut,
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

// String is what it takes, in words, of 8 KiB at most: of many values the first ones and how many
// more there are, of a long one its beginning.
func (i Property) String() string {
	text := expected(i.Types)
	if len(i.Types) == 0 {
		text = "anything"
	}
	if len(i.Values) > 0 {
		text = listed(i.Values, " or ")
	}
	for _, bound := range i.Bounds {
		text += ", " + bound
	}
	switch {
	case i.Required:
		text += ", required"
	case len(i.Default) > 0:
		text += ", default " + shortened(i.Default)
	}
	if i.Cut {
		text += ", and what else its schema says"
	}
	return text
}
