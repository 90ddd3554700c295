package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Complete returns raw with defaults filled in, and validates it as [Schema.Validate]
// does. Every missing property for which the schema has a default is filled in, also
// in nested objects and array items: through properties, items and local $refs, but not
// through alternatives (anyOf, oneOf, if), as which of them holds is not known before
// validation. A value that needs nothing comes back unchanged. How much is filled in is
// limited, since a default can be repeated in every element, and defaults can refer to
// each other; the error is then an *[Error].
func (s *Schema) Complete(raw json.RawMessage) (json.RawMessage, error) {
	if s == nil {
		return raw, s.Validate(raw)
	}
	value, err := decode(raw)
	if err != nil {
		return nil, err
	}
	filled, changed, err := s.fill(raw, value)
	switch {
	case err != nil:
		return nil, err
	case changed: // the filled text has limits of its own
		return filled, s.Validate(filled)
	}
	return raw, s.check(value)
}

// fill fills in defaults; value is raw, decoded.
func (s *Schema) fill(raw json.RawMessage, value any) (filled json.RawMessage, changed bool, err error) {
	filler := filler{references: References[any]{Root: s.root, Child: child}}
	value = filler.fill(s.root, value, 0)
	if filler.visits > maxFillVisits || filler.added > maxFilledBytes {
		return nil, false, refuse("", "the defaults of the schema fill in more than %d bytes, or look at more than %d parts; let fewer of them stand inside each other", maxFilledBytes, maxFillVisits)
	}
	if !filler.changed {
		return raw, false, nil
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false) // it would write six bytes for one
	if err := encoder.Encode(value); err != nil {
		return nil, false, fmt.Errorf("inputs with defaults: %w", err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), true, nil
}

// maxDefaultDepth limits schemas that refer to themselves.
const maxDefaultDepth = 64

// The limits of filling in one value: how many parts are visited, and how many bytes are
// added.
const (
	maxFillVisits  = 500_000
	maxFilledBytes = 1 << 20
)

type filler struct {
	references References[any]
	changed    bool
	visits     int
	added      int
}

// over counts a visit, and reports whether a limit is exceeded.
func (f *filler) over() bool {
	f.visits++
	return f.visits > maxFillVisits || f.added > maxFilledBytes
}

func (f *filler) fill(schema, value any, depth int) any {
	node, ok := schema.(map[string]any)
	if !ok || depth > maxDefaultDepth || f.over() {
		return value
	}
	if ref, ok := node["$ref"].(string); ok {
		value = f.fill(f.resolve(ref), value, depth+1)
	}
	switch v := value.(type) {
	case map[string]any:
		properties, _ := node["properties"].(map[string]any)
		for name, sub := range properties {
			if f.over() {
				return value
			}
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

// preset is the default of a schema or of its $ref, with its own defaults filled in.
func (f *filler) preset(schema any, depth int) (any, bool) {
	node, ok := schema.(map[string]any)
	if !ok || depth > maxDefaultDepth || f.over() {
		return nil, false
	}
	if value, ok := node["default"]; ok {
		return f.fill(schema, f.clone(value), depth+1), true
	}
	if ref, ok := node["$ref"].(string); ok {
		return f.preset(f.resolve(ref), depth+1)
	}
	return nil, false
}

// resolve follows a local reference such as #/$defs/name; nil if it leads nowhere.
func (f *filler) resolve(ref string) any {
	node, _ := f.references.Follow(ref)
	return node
}

// clone copies a JSON value, so that defaults are not shared between runs, and
// counts it.
func (f *filler) clone(value any) any {
	const entry = 8 // brackets, comma, colon, quotes
	f.added += entry
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, item := range v {
			f.added += len(k)
			out[k] = f.clone(item)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = f.clone(item)
		}
		return out
	case string:
		f.added += len(v)
	case json.Number:
		f.added += len(v)
	}
	return value
}
