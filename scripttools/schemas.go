package scripttools

import (
	"errors"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/schema"
)

// schema compiles a schema of the header; nil if there is none, or none that
// can be used. The faults of a schema point at the keyword that has them.
func (r *fieldReader) schema(key string) *schema.Schema {
	n := r.value(key, kindMap)
	if n == nil || !n.whole() {
		return nil
	}
	compiled, err := schema.Compile(n.json())
	if err == nil {
		return compiled
	}
	var bad *schema.Error
	if !errors.As(err, &bad) {
		r.failWith(n.at, "", err, "%s: %v", key, err)
		return nil
	}
	// Violations are sorted by path. Those of one path are the ways in which the
	// value could have been right.
	for i := 0; i < len(bad.Violations); {
		path, ways := bad.Violations[i].Path, []string{}
		for ; i < len(bad.Violations) && bad.Violations[i].Path == path; i++ {
			ways = append(ways, bad.Violations[i].Message)
		}
		at := n
		if path != "" {
			at = n.lookup(path)
		}
		r.failWith(at.at, "", bad, "%s%s: %s", key, path, strings.Join(ways, "; or "))
	}
	return nil
}

// inputSchema is schema for what a script takes, which is always an object.
func (r *fieldReader) inputSchema() *schema.Schema {
	const key = "input_schema"
	compiled := r.schema(key)
	if compiled == nil {
		return nil
	}
	n := r.value(key, kindMap)
	f, ok := n.field("type")
	if !ok {
		return compiled
	}
	types := []*node{f.value}
	if f.value.kind == kindList {
		types = f.value.items
	}
	for _, t := range types {
		if t.text == "object" {
			return compiled
		}
	}
	r.fail(f.value.at, "write type: object and list the inputs under properties",
		"input_schema: the inputs of a script are always an object, and this type does not allow one")
	return nil
}
