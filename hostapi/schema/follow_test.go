package schema_test

import (
	"encoding/json"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/schema"
)

// TestReferencesAreFollowedOnce: a reference leads where RFC 6901 says, in a URI, and nobody
// looks for it again.
func TestReferencesAreFollowedOnce(t *testing.T) {
	t.Parallel()
	steps := 0
	r := schema.References[any]{
		Root: map[string]any{"a": map[string]any{"b/c": "slash", "~1": "tilde", "é d": "blank", "": "empty"}},
		Child: func(part any, key string) (any, bool) {
			steps++
			object, _ := part.(map[string]any)
			to, ok := object[key]
			return to, ok
		},
	}
	for ref, want := range map[string]any{
		"#/a/b~1c": "slash", "#/a/~01": "tilde", "#/a/%C3%A9%20d": "blank", "#/a/": "empty",
		"#/a/x": nil, "#/a/b~1c/x": nil, "#/": nil, "#a": nil, "": nil, "/a": nil, "x#/a": nil, "#/%zz": nil,
	} {
		steps = 0
		for range 2 {
			if got, ok := r.Follow(ref); got != want || ok != (want != nil) {
				t.Errorf("%q leads to %v, %v", ref, got, ok)
			}
		}
		if steps > 3 {
			t.Errorf("%q takes %d steps", ref, steps)
		}
	}
	if root, ok := r.Follow("#"); !ok || root == nil {
		t.Error("# is not the whole")
	}
}

// TestDefaultsBehindReferences are filled in wherever a reference leads.
func TestDefaultsBehindReferences(t *testing.T) {
	t.Parallel()
	s, err := schema.Compile(json.RawMessage(`{"properties": {"a": {"$ref": "#/allOf/0"}, "b": {"$ref": "#/$defs/x%20y"}}, "allOf": [{"default": {}}], "$defs": {"x y": {"default": 2}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Complete(json.RawMessage("{}")); err != nil || string(got) != `{"a":{},"b":2}` {
		t.Errorf("%s, %v", got, err)
	}
}
