package schema

import (
	"strconv"
	"strings"
)

// Where a subschema is expected: directly below the first, below any name or
// index of the second.
var (
	schemaKeys = map[string]bool{
		"not": true, "if": true, "then": true, "else": true, "items": true, "additionalItems": true, "contains": true,
		"additionalProperties": true, "propertyNames": true, "unevaluatedItems": true, "unevaluatedProperties": true, "contentSchema": true,
	}
	schemaGroups = map[string]bool{
		"$defs": true, "definitions": true, "properties": true, "patternProperties": true, "dependentSchemas": true, "dependencies": true,
		"allOf": true, "anyOf": true, "oneOf": true, "prefixItems": true,
	}
)

// checkReferences bounds references that lead to where no subschema is
// expected, such as #/components/schemas/x. Each costs the check of all that
// lies there, once more, and a copy of what is known so far.
func checkReferences(root any, total int) *Error {
	r := references{root: root, total: total, seen: map[string]bool{}}
	r.walk(root, nil)
	return r.broken
}

type references struct {
	root   any
	total  int
	work   int
	seen   map[string]bool
	broken *Error
}

func (r *references) walk(node any, path []string) {
	if r.broken != nil {
		return
	}
	switch v := node.(type) {
	case map[string]any:
		for key, value := range v {
			if text, ok := value.(string); ok && (key == "$ref" || key == "$dynamicRef" || key == "$recursiveRef") {
				r.reference(text, append(path, key))
			}
			r.walk(value, append(path, key))
		}
	case []any:
		for i, item := range v {
			r.walk(item, append(path, strconv.Itoa(i)))
		}
	}
}

func (r *references) reference(ref string, path []string) {
	base, tokens, found := strings.Cut(ref, "#/")
	if !found || r.seen[ref] {
		return
	}
	r.seen[ref] = true
	node, expected := r.root, base == ""
	for token := range strings.SplitSeq(tokens, "/") {
		node, _ = child(node, pointerUnescapes.Replace(token))
	}
	if expected && expectedAt(strings.Split(tokens, "/")) {
		return
	}
	size := r.total // of what lies there, which the base may move
	if base == "" {
		size = subschemas(node)
	}
	if r.work += size + r.total/20; r.work > maxCompileWork {
		r.broken = refuse(pointer(path), "too many references to places that hold no schema by themselves, such as %s; move the schemas to $defs", shorten(ref, 60))
	}
}

// expectedAt reports whether a path leads along keywords that hold schemas.
func expectedAt(tokens []string) bool {
	for i := 0; i < len(tokens); i++ {
		switch token := pointerUnescapes.Replace(tokens[i]); {
		case schemaGroups[token]:
			i++ // the name, or the index
		case token == "items" && i+1 < len(tokens) && isIndex(tokens[i+1]):
			i++
		case schemaKeys[token]:
		default:
			return false
		}
	}
	return true
}

func isIndex(token string) bool {
	_, err := strconv.Atoi(token)
	return err == nil
}

// child is what an object has at a key, or a list at an index.
func child(node any, token string) (any, bool) {
	switch v := node.(type) {
	case map[string]any:
		value, ok := v[token]
		return value, ok
	case []any:
		if i, err := strconv.Atoi(token); err == nil && 0 <= i && i < len(v) {
			return v[i], true
		}
	}
	return nil, false
}

// subschemas counts objects and booleans.
func subschemas(node any) int {
	n := 0
	switch v := node.(type) {
	case map[string]any:
		n++
		for _, value := range v {
			n += subschemas(value)
		}
	case []any:
		for _, item := range v {
			n += subschemas(item)
		}
	case bool:
		n++
	}
	return n
}
