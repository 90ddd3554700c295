package schema

import (
	"encoding/json"
	"fmt"
)

// ApplyDefaults returns raw with every property that is missing and for which
// the schema states a default, in nested objects and array items too. It
// looks through properties, items and local $refs, not through alternatives
// (anyOf, oneOf, if): which of them holds is not known before validation. A
// value that gains nothing comes back unchanged.
func (s *Schema) ApplyDefaults(raw json.RawMessage) (json.RawMessage, error) {
	if s == nil {
		return raw, nil
	}
	value, err := decode(raw)
	if err != nil {
		return nil, err
	}
	filler := filler{root: s.root}
	value = filler.fill(s.root, value, 0)
	if !filler.changed {
		return raw, nil
	}
	out, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("inputs with defaults: %w", err)
	}
	return out, nil
}

// maxDefaultDepth bounds schemas that refer to themselves.
const maxDefaultDepth = 64

type filler struct {
	root    any
	changed bool
}

func (f *filler) fill(schema, value any, depth int) any {
	node, ok := schema.(map[string]any)
	if !ok || depth > maxDefaultDepth {
		return value
	}
	if ref, ok := node["$ref"].(string); ok {
		value = f.fill(f.resolve(ref), value, depth+1)
	}
	switch v := value.(type) {
	case map[string]any:
		properties, _ := node["properties"].(map[string]any)
		for name, sub := range properties {
			if current, present := v[name]; present {
				v[name] = f.fill(sub, current, depth+1)
				continue
			}
			if preset, ok := f.preset(sub, depth); ok {
				v[name] = preset
				f.changed = true
			}
		}
	case []any:
		for i := range v {
			v[i] = f.fill(node["items"], v[i], depth+1)
		}
	}
	return value
}

// preset is the default of a schema, itself filled in, or that of its $ref.
func (f *filler) preset(schema any, depth int) (any, bool) {
	node, ok := schema.(map[string]any)
	if !ok || depth > maxDefaultDepth {
		return nil, false
	}
	if value, ok := node["default"]; ok {
		return f.fill(schema, clone(value), depth+1), true
	}
	if ref, ok := node["$ref"].(string); ok {
		return f.preset(f.resolve(ref), depth+1)
	}
	return nil, false
}

// resolve follows a local reference such as #/$defs/name; nil if it leads nowhere.
func (f *filler) resolve(ref string) any {
	if ref == "#" {
		return f.root
	}
	var node any = f.root
	for _, token := range splitPointer(ref) {
		m, ok := node.(map[string]any)
		if !ok {
			return nil
		}
		node = m[token]
	}
	return node
}

// clone copies a JSON value so that defaults are not shared between runs.
func clone(value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, item := range v {
			out[k] = clone(item)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = clone(item)
		}
		return out
	}
	return value
}
