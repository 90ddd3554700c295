package scripttools

import (
	"errors"

	"github.com/scriptrun/scriptrun/hostapi/schema"
)

// schema compiles a schema of the header; nil if there is none, or none that
// can be used. The faults of a schema point at the keyword that has them.
func (r *fieldReader) schema(key string) *schema.Schema {
	n := r.value(key, kindMap)
	if n == nil {
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
	for _, v := range bad.Violations {
		at := n
		if v.Path != "" {
			at = n.lookup(v.Path)
		}
		r.failWith(at.at, "", bad, "%s%s: %s", key, v.Path, v.Message)
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
