package serve

import (
	"encoding/json"
	"testing"
)

// TestValuesThatAreNoObjectsAreMembersOfOne, and texts that are JSON: clients take the
// text for structured content.
func TestValuesThatAreNoObjectsAreMembersOfOne(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value   string
		wrapped bool
		want    string
	}{
		{`{"a":1}`, false, `{"a":1}`},
		{`[{"a":1}]`, false, `{"result":[{"a":1}]}`},
		{`42`, false, `{"result":42}`},
		{`true`, false, `{"result":true}`},
		{`null`, false, `{"result":null}`},
		{`"plain"`, false, ``},
		{`"true story"`, false, ``},
		{`""`, false, ``},
		{`"2026"`, false, `{"result":"2026"}`},
		{`"null"`, false, `{"result":"null"}`},
		{`"{\"a\":1}"`, false, `{"result":"{\"a\":1}"}`},
		{`"\"a\""`, false, `{"result":"\"a\""}`},
		{`"\n[1]"`, false, `{"result":"\n[1]"}`},
		{`"plain"`, true, `{"result":"plain"}`},
		{``, false, ``},
	} {
		if got := structured(json.RawMessage(c.value), c.wrapped); string(got) != c.want {
			t.Errorf("%s: %s, want %s", c.value, got, c.want)
		}
	}
}

// TestOutputSchemasOfOtherValuesAreWrapped as the values are, or not listed.
func TestOutputSchemasOfOtherValuesAreWrapped(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		schema, want string
		wrapped      bool
	}{
		{`{"type":"object","properties":{"a":{"$ref":"#"}}}`, `{"type":"object","properties":{"a":{"$ref":"#"}}}`, false},
		{`{"type":"array"}`, `{"additionalProperties":false,"properties":{"result":{"type":"array"}},"required":["result"],"type":"object"}`, true},
		{`{"type":["string","null"]}`, `{"additionalProperties":false,"properties":{"result":{"type":["string","null"]}},"required":["result"],"type":"object"}`, true},
		{
			`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"array","items":{"$ref":"#/$defs/x"},"$defs":{"x":{"type":"string"}}}`,
			`{"$defs":{"x":{"type":"string"}},"$schema":"https://json-schema.org/draft/2020-12/schema","additionalProperties":false,"properties":{"result":{"items":{"$ref":"#/$defs/x"},"type":"array"}},"required":["result"],"type":"object"}`, true,
		},
		{`{"type":["object","null"]}`, `null`, false},
		{`{"type":"array","items":{"$ref":"#"}}`, `null`, false},
		{`{"type":"array","items":{"$ref":"#/properties/x"}}`, `null`, false},
		{`{"type":"array","$id":"http://x/y"}`, `null`, false},
		{`{"anyOf":[{"type":"object"},{"type":"array"}]}`, `null`, false},
		{`{}`, `null`, false},
		{`true`, `null`, false},
		{``, `null`, false},
	} {
		listed, wrapped := outputSchema(json.RawMessage(c.schema))
		got, err := json.Marshal(listed)
		if err != nil || string(got) != c.want || wrapped != c.wrapped {
			t.Errorf("%s: %s, %v, %v; want %s", c.schema, got, wrapped, err, c.want)
		}
	}
}
