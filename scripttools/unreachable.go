package scripttools

import (
	"maps"
	"slices"

	"github.com/scriptrun/scriptrun/hostapi/spelling"
)

// maxTold is how many of such names are told; each is compared with those that are allowed.
const maxTold = 20

// unreachable looks for objects that must have a property which they must not have: no value is
// one.
type unreachable struct {
	fields *fieldReader
	key    string
	tree   *schemaTree
	seen   map[*node]bool    // the schemas that were looked at as a whole
	told   map[*node]bool    // the names that were refused
	names  map[*node]allowed // those of schemas whose unevaluatedProperties are false
}

// allowed are the names that a schema declares.
type allowed struct {
	names map[string]bool
	open  bool // patterns may match others
}

func (r *fieldReader) unreachable(key string, n *node) {
	u := unreachable{fields: r, key: key, tree: newSchemaTree(n), seen: map[*node]bool{}, told: map[*node]bool{}, names: map[*node]allowed{}}
	u.schema(n)
}

// schema looks at a schema, and at all below it.
func (u *unreachable) schema(n *node) {
	if n == nil || n.kind != kindMap || u.seen[n] {
		return
	}
	u.seen[n] = true
	all := u.tree.together(n).parts
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

// name refuses a name that is required and that one of the parts does not allow.
func (u *unreachable) name(name *node, parts []*node) {
	for _, part := range parts {
		if !u.tree.spend(1) || u.told[name] || len(u.told) >= maxTold {
			return
		}
		why, names := u.excludes(part, name.text)
		if why == "" {
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
	properties := part.child("properties")
	declared := false
	if properties != nil {
		var property field
		if property, declared = properties.field(name); declared && isFalse(property.value) {
			return "false among the properties, which allows no value", nil
		}
	}
	if isFalse(part.child("additionalProperties")) && !declared && part.child("patternProperties") == nil {
		return "not among the properties, and additionalProperties: false allows no other", declaredIn(part)
	}
	if list := part.child("propertyNames"); list != nil && list.child("enum") != nil {
		for _, item := range list.child("enum").items {
			if !u.tree.spend(1) || item.text == name {
				names = nil
				break
			}
			names = append(names, item.text)
		}
		if names != nil {
			return "not among propertyNames", names
		}
	}
	if !isFalse(part.child("unevaluatedProperties")) {
		return "", nil
	}
	all, known := u.names[part]
	if !known {
		all = allowed{names: map[string]bool{}}
		u.evaluated(part, &all, map[*node]bool{})
		u.names[part] = all
	}
	if all.open || all.names[name] {
		return "", nil
	}
	return "not among the properties, and unevaluatedProperties: false allows no other", slices.Sorted(maps.Keys(all.names))
}

// evaluated adds the names that any part of a schema declares for the same value.
func (u *unreachable) evaluated(n *node, all *allowed, seen map[*node]bool) {
	if n == nil || n.kind != kindMap || seen[n] {
		return
	}
	seen[n] = true
	more, names := n.child("additionalProperties"), declaredIn(n)
	if !u.tree.spend(1+len(names)) || n.child("patternProperties") != nil || more != nil && !isFalse(more) || n.child("$dynamicRef") != nil {
		all.open = true
		return
	}
	for _, name := range names {
		all.names[name] = true
	}
	u.evaluated(u.tree.referred(n), all, seen)
	for _, key := range []string{"if", "then", "else"} {
		u.evaluated(n.child(key), all, seen)
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf", "dependentSchemas"} {
		if parts := n.child(key); parts != nil {
			for _, part := range parts.items {
				u.evaluated(part, all, seen)
			}
			for _, f := range parts.fields {
				u.evaluated(f.value, all, seen)
			}
		}
	}
}

// declaredIn are the names of a schema's own properties.
func declaredIn(n *node) (names []string) {
	for _, property := range propertiesOf(n) {
		names = append(names, property.key)
	}
	return names
}

func isFalse(n *node) bool { return n != nil && n.kind == kindBool && n.text == "false" }
