package scripttools

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/schema"
	"github.com/scriptrun/scriptrun/hostapi/spelling"
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
		r.unreachable(key, n)
		r.keywords(key, n, slices.Sorted(maps.Keys(schemaKeywords)))
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
		hint := ""
		if at.text != "" && strings.HasSuffix(path, "/type") {
			ways = []string{fmt.Sprintf("no type is called %q; expected one of %s", at.text, strings.Join(schemaTypes, ", "))}
			if near := spelling.Nearest(at.text, schemaTypes); near != "" {
				hint = "did you mean " + near + "?"
			}
		}
		r.failWith(at.at, hint, bad, "%s%s: %s", key, path, strings.Join(ways, "; or "))
	}
	return nil
}

var schemaTypes = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

// inputSchema is schema for what a script takes, which is always an object.
func (r *fieldReader) inputSchema() *schema.Schema {
	const key = "input_schema"
	compiled := r.schema(key)
	if compiled == nil {
		return nil
	}
	n := r.value(key, kindMap)
	r.defaults(n, compiled)
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

// defaults refuses those that inputs without anything are completed with and that break
// the schema: each run that leaves them out would be refused.
func (r *fieldReader) defaults(n *node, compiled *schema.Schema) {
	_, err := compiled.Complete(json.RawMessage("{}"))
	var broken *schema.Error
	if !errors.As(err, &broken) {
		return
	}
	for _, v := range broken.Violations {
		name, _, _ := strings.Cut(strings.TrimPrefix(v.Path, "/"), "/")
		at := n.child("properties")
		for _, key := range []string{name, "default"} {
			if at != nil {
				at = at.child(key)
			}
		}
		if v.Path != "" && at != nil { // or it is what a run has to give
			r.failWith(at.at, "let the default be what the schema allows", broken, "input_schema: the default of %s breaks the schema: %s", quote(name), v.Message)
		}
	}
}
