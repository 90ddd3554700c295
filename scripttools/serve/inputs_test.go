package serve

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

// TestInputSchemasAreWhatClientsTake: optional where there is a default, with properties,
// and with constraints in words.
func TestInputSchemasAreWhatClientsTake(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ schema, want string }{
		{`true`, `{"type":"object","properties":{}}`},
		{`{}`, `{"type":"object","properties":{}}`},
		{`{"type":"object"}`, `{"type":"object","properties":{}}`},
		{`{"type":["object","null"],"properties":{}}`, `{"type":"object","properties":{}}`},
		{
			`{"type":"object","required":["b","a"],"properties":{"b":{"type":"string"},"a":{"type":"integer","default":5,"minimum":1,"maximum":10}},"additionalProperties":false}`,
			`{"type":"object","required":["b"],"properties":{"b":{"type":"string"},"a":{"type":"integer","default":5,"minimum":1,"maximum":10,"description":"(1 to 10; default 5)"}},"additionalProperties":false}`,
		},
		{
			`{"type":"object","properties":{"a":{"type":"string","description":"A name.","pattern":"^<[a-z]+$","minLength":2}},"required":["a"]}`,
			`{"type":"object","properties":{"a":{"type":"string","description":"A name. (at least 2 characters; matches ^\u003c[a-z]+$)","pattern":"^<[a-z]+$","minLength":2}},"required":["a"]}`,
		},
		{
			`{"type":"object","properties":{"a":{"default":1,"description":"By default 1."}},"required":["a"]}`,
			`{"type":"object","properties":{"a":{"default":1,"description":"By default 1."}}}`,
		},
		{
			`{"type":"object","properties":{"a":{"type":"array","maxItems":3,"items":{"type":"object","required":["x","y"],"properties":{"x":{"default":null},"y":{"exclusiveMinimum":0}}}}}}`,
			`{"type":"object","properties":{"a":{"type":"array","maxItems":3,"items":{"type":"object","required":["y"],"properties":{"x":{"default":null,"description":"(default null)"},"y":{"exclusiveMinimum":0,"description":"(more than 0)"}}},"description":"(at most 3 items)"}}}`,
		},
		{`{"type":"object","properties":{"a":true}}`, `{"type":"object","properties":{"a":true}}`},
	} {
		if got := inputSchema(json.RawMessage(c.schema)); string(got) != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.schema, got, c.want)
		}
	}
}

// TestSchemasOfAnyJSONStayJSON: what is listed is always an object, and JSON.
func TestSchemasOfAnyJSONStayJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var value func(depth int) any
		value = func(depth int) any {
			switch rapid.IntRange(0, 5).Draw(t, "kind") {
			case 0, 1:
				if depth == 0 {
					return nil
				}
				object := map[string]any{}
				for range rapid.IntRange(0, 3).Draw(t, "members") {
					key := rapid.SampledFrom([]string{"properties", "required", "items", "default", "minimum", "pattern", "description", "type", "a", "\"<\u2028"}).Draw(t, "key")
					object[key] = value(depth - 1)
				}
				return object
			case 2:
				return []any{"a", value(max(depth-1, 0))}
			case 3:
				return rapid.String().Draw(t, "text")
			case 4:
				return rapid.Float64Range(-1e9, 1e9).Draw(t, "number")
			}
			return true
		}
		schema, err := json.Marshal(value(5))
		if err != nil {
			t.Skip()
		}
		var object map[string]any
		if got := inputSchema(schema); json.Unmarshal(got, &object) != nil || object["type"] != "object" {
			t.Fatalf("%s: %s", schema, got)
		}
	})
}
