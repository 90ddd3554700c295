package schema

import (
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/schema/internal/jsonschema"
)

// sameValue are the subschemas that apply to the same value as s. A $dynamicRef counts
// as its first target.
func sameValue(s *jsonschema.Schema) []*jsonschema.Schema {
	out := present(s.Ref)
	if s.Ref != nil && s.DraftVersion < 2019 {
		return out // the rest is ignored
	}
	out = append(out, present(s.RecursiveRef, s.Not, s.If, s.Then, s.Else)...)
	if s.DynamicRef != nil {
		out = append(out, present(s.DynamicRef.Ref)...)
	}
	out = append(out, s.AllOf...)
	out = append(out, s.AnyOf...)
	out = append(out, s.OneOf...)
	for _, sub := range s.DependentSchemas {
		out = append(out, sub)
	}
	for _, either := range s.Dependencies {
		if sub, ok := either.(*jsonschema.Schema); ok {
			out = append(out, sub)
		}
	}
	return out
}

// below are the subschemas that apply to what is inside the value.
func below(s *jsonschema.Schema) []*jsonschema.Schema {
	out := present(s.PropertyNames, s.UnevaluatedProperties, s.Contains, s.Items2020, s.UnevaluatedItems)
	for _, sub := range s.Properties {
		out = append(out, sub)
	}
	for _, sub := range s.PatternProperties {
		out = append(out, sub)
	}
	out = append(out, s.PrefixItems...)
	for _, either := range []any{s.AdditionalProperties, s.Items, s.AdditionalItems} {
		switch sub := either.(type) {
		case *jsonschema.Schema:
			out = append(out, sub)
		case []*jsonschema.Schema:
			out = append(out, sub...)
		}
	}
	return out
}

func present(all ...*jsonschema.Schema) []*jsonschema.Schema {
	var out []*jsonschema.Schema
	for _, s := range all {
		if s != nil {
			out = append(out, s)
		}
	}
	return out
}

func sortByLocation(all []*jsonschema.Schema) {
	slices.SortFunc(all, func(a, b *jsonschema.Schema) int { return strings.Compare(a.Location, b.Location) })
}
