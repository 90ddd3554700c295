package scripttools

import (
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/spelling"
)

// maxParts bounds how many parts of a schema are looked at for what no value can be, each as
// often as it applies.
const maxParts = 20_000

// unreachable looks for objects that must have a property which they must not have: no value is
// one.
type unreachable struct {
	fields *fieldReader
	key    string
	root   *node
	parts  int
	seen   map[*node]bool // the schemas that were looked at as a whole
	told   map[*node]bool // the names that were refused
}

func (r *fieldReader) unreachable(key string, n *node) {
	u := unreachable{fields: r, key: key, root: n, seen: map[*node]bool{}, told: map[*node]bool{}}
	u.schema(n)
}

// schema looks at a schema, and at all below it.
func (u *unreachable) schema(n *node) {
	if n == nil || n.kind != kindMap || u.seen[n] || u.parts > maxParts {
		return
	}
	u.seen[n] = true
	all := u.together(n, map[*node]bool{})
	for _, part := range all {
		if required := part.child("required"); required != nil {
			for _, name := range required.items {
				u.name(name, all)
			}
		}
	}
	for _, f := range n.fields {
		if f.key == "not" || f.key == "if" { // no value need be one
			continue
		}
		switch schemaKeywords[f.key] {
		case noSchema:
		case oneSchema:
			u.schema(f.value)
			for _, item := range f.value.items {
				u.schema(item)
			}
		case namedSchemas:
			for _, named := range f.value.fields {
				u.schema(named.value)
			}
		}
	}
}

// together are the parts of a schema that hold for the same value: what it refers to, and all of
// allOf.
func (u *unreachable) together(n *node, seen map[*node]bool) (all []*node) {
	if u.parts++; n == nil || n.kind != kindMap || seen[n] || u.parts > maxParts {
		return nil
	}
	seen[n] = true
	all = append(all, n)
	all = append(all, u.together(u.referred(n), seen)...)
	if parts := n.child("allOf"); parts != nil {
		for _, part := range parts.items {
			all = append(all, u.together(part, seen)...)
		}
	}
	return all
}

// referred is the schema in the header that n refers to; nil for none.
func (u *unreachable) referred(n *node) *node {
	ref := n.child("$ref")
	if ref == nil {
		return nil
	}
	if ref.text == "#" {
		return u.root
	}
	if pointer, local := strings.CutPrefix(ref.text, "#/"); local {
		return u.root.lookup(pointer)
	}
	return nil
}

// name refuses a name that is required and that one of the parts does not allow.
func (u *unreachable) name(name *node, parts []*node) {
	for _, part := range parts {
		why, names := u.excludes(part, name.text)
		if why == "" || u.told[name] {
			continue
		}
		u.told[name] = true
		hint := "declare it under properties, or take it out of required"
		if near := spelling.Nearest(name.text, names); near != "" {
			hint = "did you mean " + near + "?"
		}
		u.fields.fail(name.at, hint, "%s: %s is required and %s", u.key, quote(name.text), why)
	}
}

// excludes says why a part of a schema does not allow a name; empty if it does. names are those
// that it allows.
func (u *unreachable) excludes(part *node, name string) (why string, names []string) {
	names, open := declaredIn(part)
	if isFalse(part.child("additionalProperties")) && !open && !slices.Contains(names, name) {
		return "not among the properties, and additionalProperties: false allows no other", names
	}
	if property := part.child("properties"); property != nil && isFalse(property.child(name)) {
		return "false among the properties, which allows no value", nil
	}
	if allowed := part.child("propertyNames"); allowed != nil {
		if list := allowed.child("enum"); list != nil {
			names = nil
			for _, item := range list.items {
				names = append(names, item.text)
			}
			if !slices.Contains(names, name) {
				return "not among propertyNames", names
			}
		}
	}
	if isFalse(part.child("unevaluatedProperties")) {
		names, open = u.evaluated(part, map[*node]bool{})
		if !open && !slices.Contains(names, name) {
			return "not among the properties, and unevaluatedProperties: false allows no other", names
		}
	}
	return "", nil
}

// evaluated are the names that any part of a schema declares for the same value.
func (u *unreachable) evaluated(n *node, seen map[*node]bool) (names []string, open bool) {
	if u.parts++; n == nil || n.kind != kindMap || seen[n] {
		return nil, false
	}
	if u.parts > maxParts {
		return nil, true
	}
	seen[n] = true
	names, open = declaredIn(n)
	more := n.child("additionalProperties")
	open = open || more != nil && !isFalse(more) || n.child("$dynamicRef") != nil
	also := func(part *node) {
		others, more := u.evaluated(part, seen)
		names, open = append(names, others...), open || more
	}
	also(u.referred(n))
	for _, key := range []string{"if", "then", "else"} {
		also(n.child(key))
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf", "dependentSchemas"} {
		if parts := n.child(key); parts != nil {
			for _, part := range parts.items {
				also(part)
			}
			for _, f := range parts.fields {
				also(f.value)
			}
		}
	}
	return names, open
}

// declaredIn are the names of a schema's own properties. open says that patterns of it may
// match others.
func declaredIn(n *node) (names []string, open bool) {
	if properties := n.child("properties"); properties != nil {
		for _, f := range properties.fields {
			names = append(names, f.key)
		}
	}
	return names, n.child("patternProperties") != nil
}

func isFalse(n *node) bool { return n != nil && n.kind == kindBool && n.text == "false" }
