package scripttools

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/scriptrun/scriptrun/hostapi/schema"
)

// maxParts bounds how many parts of a schema are looked at, each as often as it is come by. A
// schema has some thousands, which refer to each other as often as they like.
const maxParts = 100_000

// schemaTree is a schema that somebody wants to know something of: decoded once, its references
// followed once, and with one bound over all that is looked at. It is for one goroutine.
type schemaTree struct {
	root       *node // nil for what is no schema
	references schema.References[*node]
	left       int                 // of maxParts
	gathered   map[*node]together  // what was asked for
	seen       map[*node]*together // for whom a part was gathered last
	values     map[*node][]json.RawMessage
}

func newSchemaTree(root *node) *schemaTree {
	return &schemaTree{
		root:       root,
		references: schema.References[*node]{Root: root, Child: childOf},
		left:       maxParts,
		gathered:   map[*node]together{},
		seen:       map[*node]*together{},
		values:     map[*node][]json.RawMessage{},
	}
}

// readSchema decodes a schema; one that is no JSON says nothing.
func readSchema(raw json.RawMessage) *schemaTree {
	if !json.Valid(raw) {
		return newSchemaTree(nil)
	}
	d := &jsonDecoder{places: newPlaces(raw, 1), decoder: json.NewDecoder(bytes.NewReader(raw)), maxNodes: len(raw), maxDepth: len(raw)}
	d.decoder.UseNumber()
	return newSchemaTree(d.value(0))
}

func childOf(n *node, key string) (*node, bool) {
	child := n.child(key)
	return child, child != nil
}

// spend takes parts from what may still be looked at, and reports whether there were as many.
func (t *schemaTree) spend(parts int) bool {
	t.left -= parts
	return t.left >= 0
}

// referred is the schema that n refers to; nil for none.
func (t *schemaTree) referred(n *node) *node {
	ref := n.child("$ref")
	if ref == nil || ref.kind != kindText {
		return nil
	}
	to, _ := t.references.Follow(ref.text)
	return to
}

// together are the parts of a schema that hold for the same value: it, what it refers to, and all
// of allOf. What one says takes precedence over what those after it say.
type together struct {
	parts []*node
	cut   bool // it says more, which was not looked at
}

func (t *schemaTree) together(n *node) together {
	all, known := t.gathered[n]
	if !known {
		t.gather(n, &all)
		t.gathered[n] = all
	}
	return all
}

func (t *schemaTree) gather(n *node, all *together) {
	switch {
	case n == nil || n.kind != kindMap:
		return
	case !t.spend(1):
		all.cut = true
		return
	case t.seen[n] == all:
		return
	}
	t.seen[n] = all
	all.parts = append(all.parts, n)
	t.gather(t.referred(n), all)
	if list := n.child("allOf"); list != nil {
		for _, part := range list.items {
			if t.gather(part, all); all.cut {
				return
			}
		}
	}
}

// first is what the first part that has a keyword says; nil if none does.
func (a together) first(keyword string) *node {
	for _, part := range a.parts {
		if value := part.child(keyword); value != nil {
			return value
		}
	}
	return nil
}

// text is first for a keyword that is a text, of the first that is not empty.
func (a together) text(keyword string) string {
	for _, part := range a.parts {
		if value := part.child(keyword); value != nil && value.kind == kindText && value.text != "" {
			return value.text
		}
	}
	return ""
}

// number is first for a keyword that is a number, as it is written.
func (a together) number(keyword string) string {
	if value := a.first(keyword); value != nil && value.kind == kindNumber {
		return value.text
	}
	return ""
}

// types are those that a value may have; none where any may be.
func (a together) types() []string {
	n := a.first("type")
	if n == nil {
		return nil
	}
	if n.kind == kindText {
		return []string{n.text}
	}
	var several []string
	for _, item := range n.items {
		several = append(several, item.text)
	}
	return several
}

// property is a property of an object; nil if it is not declared.
func (a together) property(name string) *node {
	for _, part := range a.parts {
		if properties := part.child("properties"); properties != nil {
			if f, ok := properties.field(name); ok {
				return f.value
			}
		}
	}
	return nil
}

// properties are all that are declared, by name.
func (a together) properties() map[string]*node {
	all := map[string]*node{}
	for _, part := range a.parts {
		for _, property := range propertiesOf(part) {
			if _, earlier := all[property.key]; !earlier {
				all[property.key] = property.value
			}
		}
	}
	return all
}

// propertiesOf are those that a part declares itself.
func propertiesOf(part *node) []field {
	if properties := part.child("properties"); properties != nil {
		return properties.fields
	}
	return nil
}

// required are the names that an object must have.
func (a together) required() map[string]bool {
	names := map[string]bool{}
	for _, part := range a.parts {
		if list := part.child("required"); list != nil {
			for _, name := range list.items {
				names[name.text] = true
			}
		}
	}
	return names
}

// open reports whether an object may have properties that are not declared by its name.
func (a together) open() bool {
	if a.cut || a.first("patternProperties") != nil || a.branches() {
		return true
	}
	if more := a.first("additionalProperties"); more != nil && !isFalse(more) {
		return true
	}
	return !slices.ContainsFunc(a.parts, func(part *node) bool { return len(propertiesOf(part)) > 0 })
}

// branches reports whether parts of a schema that may not hold can declare keys of the same object.
func (a together) branches() bool {
	return slices.ContainsFunc([]string{"anyOf", "oneOf", "if", "then", "else", "dependentSchemas"}, func(keyword string) bool {
		return a.first(keyword) != nil
	})
}

// valuesOf are the only values that a schema takes, as JSON; none if it takes others. The same
// list is there once, however often it is referred to.
func (t *schemaTree) valuesOf(a together) []json.RawMessage {
	for _, part := range a.parts {
		if list := part.child("enum"); list != nil && len(list.items) > 0 {
			return t.encoded(list, list.items)
		}
	}
	if value := a.first("const"); value != nil {
		return t.encoded(value, []*node{value})
	}
	return nil
}

// defaultOf is the default of a schema, as JSON; empty if it has none.
func (t *schemaTree) defaultOf(a together) json.RawMessage {
	if value := a.first("default"); value != nil {
		return t.encoded(value, []*node{value})[0]
	}
	return nil
}

func (t *schemaTree) encoded(of *node, values []*node) []json.RawMessage {
	if known, ok := t.values[of]; ok {
		return known
	}
	var all []json.RawMessage
	for _, value := range values {
		all = append(all, value.json())
	}
	t.values[of] = all
	return all
}
