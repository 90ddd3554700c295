package schema

import (
	"encoding/json"
	"fmt"

	"github.com/scriptrun/scriptrun/hostapi/schema/internal/jsonschema"
)

func (m *meter) object(s *jsonschema.Schema, v map[string]any, depth int, tracked bool) bool {
	work := int64(len(v))*2 + int64(len(s.Required)+len(s.DependentRequired)+len(s.Dependencies)+len(s.DependentSchemas))
	if tracked {
		work += int64(len(v)) * copyWork
	}
	if !m.spend(0, work) {
		return false
	}
	for name, value := range v {
		if !m.property(s, name, value, depth) {
			return false
		}
	}
	for name, required := range s.DependentRequired {
		if _, ok := v[name]; ok && !m.spend(1, int64(len(required))) {
			return false
		}
	}
	for name, either := range s.Dependencies {
		if _, ok := v[name]; !ok {
			continue
		}
		switch dependency := either.(type) {
		case []string:
			if !m.spend(1, int64(len(dependency))) {
				return false
			}
		case *jsonschema.Schema:
			if !m.apply(dependency, v, depth, tracked) {
				return false
			}
		}
	}
	for name, sub := range s.DependentSchemas {
		if _, ok := v[name]; ok && !m.apply(sub, v, depth, tracked) {
			return false
		}
	}
	return true
}

// property counts one property.
func (m *meter) property(s *jsonschema.Schema, name string, value any, depth int) bool {
	evaluated := false
	if sub, ok := s.Properties[name]; ok {
		evaluated = true
		if !m.apply(sub, value, depth+1, false) {
			return false
		}
	}
	for expression, sub := range s.PatternProperties {
		if !m.spend(0, matchWork(expression, name)) {
			return false
		}
		if expression.MatchString(name) {
			evaluated = true
			if !m.apply(sub, value, depth+1, false) {
				return false
			}
		}
	}
	if sub, ok := s.AdditionalProperties.(*jsonschema.Schema); ok && !evaluated && !m.apply(sub, value, depth+1, false) {
		return false
	}
	if s.PropertyNames != nil && !m.apply(s.PropertyNames, name, depth+1, false) {
		return false
	}
	return s.UnevaluatedProperties == nil || m.apply(s.UnevaluatedProperties, value, depth+1, false)
}

func (m *meter) array(s *jsonschema.Schema, v []any, depth int, tracked bool) bool {
	work := int64(0)
	if tracked {
		work += int64(len(v)) * copyWork
	}
	if s.UniqueItems {
		// A short list is compared each with each, a long one by its hashes.
		work += parts(v) * int64(min(len(v), 20)) * 2 * compareWork
	}
	if !m.spend(0, work) {
		return false
	}
	prefix, rest := s.PrefixItems, s.Items2020
	if s.DraftVersion < 2020 {
		switch items := s.Items.(type) {
		case *jsonschema.Schema:
			rest = items
		case []*jsonschema.Schema:
			prefix = items
			rest, _ = s.AdditionalItems.(*jsonschema.Schema)
		default:
			rest, _ = s.AdditionalItems.(*jsonschema.Schema)
		}
	}
	for i, item := range v {
		sub := rest
		if i < len(prefix) {
			sub = prefix[i]
		}
		for _, sub := range [...]*jsonschema.Schema{sub, s.Contains, s.UnevaluatedItems} {
			if sub != nil && !m.apply(sub, item, depth+1, false) {
				return false
			}
		}
	}
	return true
}

func (m *meter) text(s *jsonschema.Schema, v string) bool {
	work := int64(0)
	if s.MinLength != nil || s.MaxLength != nil {
		work += int64(len(v))
	}
	if s.Pattern != nil {
		work += matchWork(s.Pattern, v)
	}
	if s.Format != nil {
		work += int64(len(v)) * 4
		if s.Format.Name == "regex" {
			work += int64(min(len(v), maxPatternBytes)) * 100
		}
	}
	return m.spend(0, work)
}

func (m *meter) number(s *jsonschema.Schema, v json.Number) bool {
	if s.Minimum == nil && s.Maximum == nil && s.ExclusiveMinimum == nil && s.ExclusiveMaximum == nil && s.MultipleOf == nil {
		return true
	}
	return m.spend(1, 2*compareWork+int64(len(v)))
}

// matchWork is the most that matching takes: every instruction at every byte.
func matchWork(expression fmt.Stringer, text string) int64 {
	size := 100 // of a metaschema's
	if p, ok := expression.(*pattern); ok {
		size = p.size
	}
	return int64(len(text)+1) * int64(size+2)
}
