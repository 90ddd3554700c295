package schema

import (
	"encoding/json"

	"github.com/scriptrun/scriptrun/hostapi/schema/internal/jsonschema"
)

// The bounds of one check of one value.
const (
	// maxSteps bounds how often a subschema is applied to a part of the value,
	// and with that the memory: each may leave a violation.
	maxSteps = 250_000
	// maxWork bounds the time, in units of some ten nanoseconds.
	maxWork = 50_000_000
	// quickSteps and quickWork are the limits of a check of less than a millisecond.
	quickSteps = 1000
	quickWork  = 50_000
	// maxNested bounds the stack.
	maxNested = 20_000
)

// Work units of what the library does.
const (
	applyWork   = 50
	compareWork = 20  // of two parts
	numberWork  = 100 // of comparing two numbers, as fractions
	copyWork    = 60  // of keeping the name of a property, or the index of an item
)

// meter counts the work of a check: it walks a value as the library would, without
// deciding anything. It counts every alternative, so never less than the library does.
//
// The library cannot be stopped or limited, and its work depends on schema and value
// together: two alternatives that both lead back to the top double the work at every
// level of the value.
type meter struct {
	graph     *graph
	steps     int
	work      int64
	mostSteps int
	mostWork  int64
	nested    int
	chain     int // how many apply to the part that is looked at, and lead to one another
	depth     int // of that part
	scope     []*jsonschema.Schema
}

// affordable reports whether a value can be checked within the bounds.
func (g *graph) affordable(value any) bool { return g.within(value, maxSteps, maxWork) }

// within reports whether a value can be checked in so many steps, and so much work.
func (g *graph) within(value any, steps int, work int64) bool {
	m := meter{graph: g, mostSteps: steps, mostWork: work}
	return m.apply(g.root, value, 0, false)
}

func (m *meter) spend(steps int, work int64) bool {
	m.steps += steps
	m.work += work
	return m.steps <= m.mostSteps && m.work <= m.mostWork
}

// apply counts s on a part of the value, depth levels below its top. tracked
// says that what was evaluated is kept, for an unevaluatedX further out.
func (m *meter) apply(s *jsonschema.Schema, v any, depth int, tracked bool) bool {
	before, above := m.chain, m.depth
	defer func() { m.chain, m.depth = before, above }()
	if m.chain++; depth > above {
		m.chain = 0
	}
	m.depth = depth
	if !m.spend(1+depth/16, applyWork+int64(depth+m.chain)) {
		return false
	}
	if s.Bool != nil {
		return true
	}
	if m.nested++; m.nested > maxNested {
		return false
	}
	defer func() { m.nested-- }()
	if m.graph.dynamic {
		m.scope = append(m.scope, s)
		defer func() { m.scope = m.scope[:len(m.scope)-1] }()
	}
	if !mayHaveType(s.Types, v) {
		return true // nothing else is looked at
	}
	tracked = tracked || s.UnevaluatedProperties != nil || s.UnevaluatedItems != nil
	if !m.compared(s, v) {
		return false
	}
	if s.Ref != nil && s.DraftVersion < 2019 {
		return m.apply(s.Ref, v, depth, tracked)
	}
	ok := true
	switch v := v.(type) {
	case map[string]any:
		ok = m.object(s, v, depth, tracked)
	case []any:
		ok = m.array(s, v, depth, tracked)
	case string:
		ok = m.text(s, v)
	case json.Number:
		ok = m.number(s, v)
	}
	return ok && m.same(s, v, depth, tracked)
}

// same counts what applies to the same part of the value.
func (m *meter) same(s *jsonschema.Schema, v any, depth int, tracked bool) bool {
	for _, sub := range []*jsonschema.Schema{s.Ref, s.Not, s.If, s.Then, s.Else, m.dynamic(s), m.recursive(s)} {
		if sub != nil && !m.apply(sub, v, depth, tracked) {
			return false
		}
	}
	for _, group := range [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf} {
		for _, sub := range group {
			if !m.apply(sub, v, depth, tracked) {
				return false
			}
		}
	}
	return true
}

// compared counts const, enum and format.
func (m *meter) compared(s *jsonschema.Schema, v any) bool {
	if s.Const == nil && s.Enum == nil {
		return true
	}
	f := m.graph.fixed[s]
	work := f.constant + f.enum
	switch v.(type) {
	case map[string]any, []any:
		work += (f.constant + f.enumParts) * compareWork
	case json.Number:
		work += (1 + f.enumNumbers) * numberWork
	}
	return m.spend(0, work)
}

// dynamic is where a $dynamicRef leads from here: the outermost resource that
// was passed and has the anchor decides.
func (m *meter) dynamic(s *jsonschema.Schema) *jsonschema.Schema {
	if s.DynamicRef == nil {
		return nil
	}
	target := s.DynamicRef.Ref
	if anchor := s.DynamicRef.Anchor; anchor != "" && target.DynamicAnchor == anchor {
		m.work += int64(len(m.scope))
		for _, passed := range m.scope {
			if found := passed.DynamicTarget(anchor); found != nil {
				return found
			}
		}
	}
	return target
}

func (m *meter) recursive(s *jsonschema.Schema) *jsonschema.Schema {
	target := s.RecursiveRef
	if target == nil || !target.RecursiveAnchor {
		return target
	}
	m.work += int64(len(m.scope))
	for _, passed := range m.scope {
		if passed.RecursiveTarget() {
			return passed
		}
	}
	return target
}

// mayHaveType reports whether the library goes on after type.
func mayHaveType(types *jsonschema.Types, v any) bool {
	if types == nil || types.IsEmpty() {
		return true
	}
	names := [...]string{"", ""}
	switch v.(type) {
	case nil:
		names[0] = "null"
	case bool:
		names[0] = "boolean"
	case json.Number:
		names = [...]string{"number", "integer"}
	case string:
		names[0] = "string"
	case []any:
		names[0] = "array"
	case map[string]any:
		names[0] = "object"
	}
	for _, name := range names {
		var one jsonschema.Types
		if one.Add(name); one&*types != 0 {
			return true
		}
	}
	return false
}
