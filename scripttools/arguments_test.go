package scripttools_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/schema"
	"github.com/scriptrun/scriptrun/scripttools"
	"pgregory.net/rapid"
)

const argumentSchema = `{
  "type": "object",
  "properties": {
    "text": {"type": "string"}, "count": {"type": "integer"}, "ratio": {"type": "number"}, "deep": {"type": "boolean"},
    "tags": {"type": "array", "items": {"type": "string"}}, "sizes": {"type": "array", "items": {"$ref": "#/$defs/size"}},
    "one-or-many": {"type": ["string", "array"], "items": {"type": "string"}},
    "options": {"type": "object"}, "maybe": {"type": ["integer", "null", "string"]}, "any": {}, "size": {"$ref": "#/$defs/size"},
    "point": {"type": "object", "additionalProperties": false, "properties": {"x": {"type": "integer"}, "name": {"type": "string"}, "tags": {"type": "array"}}},
    "dotted.key": {}, "lists": {"type": "array", "items": {"type": "array"}}
  },
  "$defs": {"size": {"type": "integer"}}
}`

func specWith(t testing.TB, raw string) *scripttools.ScriptToolSpec {
	t.Helper()
	spec := &scripttools.ScriptToolSpec{Name: "a"}
	if raw != "" {
		compiled, err := schema.Compile(json.RawMessage(raw))
		if err != nil {
			t.Fatal(err)
		}
		spec.InputSchema = compiled
	}
	return spec
}

func TestParseArguments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		args string // separated by "|"
		want string // JSON, else parts of the error separated by "|"
	}{
		{"nothing", "", `{}`},
		{"JSON as it stands", `any:={"a": [1]}|text:=5|tags:="x"`, `{"any":{"a": [1]},"tags":"x","text":5}`},
		{"what is no JSON", "any:=a", `any:=a: after := there is JSON, such as any:=1`},
		{"part of an object", "options.a=1|options.b.c=2", `{"options":{"a":"1","b":{"c":"2"}}}`},
		{"part of one with types", "point.x=1|point.name=2|point.tags=a|point.tags=b", `{"point":{"name":"2","tags":["a","b"],"x":1}}`},
		{"a wrong part", "point.x=a|point.nam=1|poin.x=1", `point.x=a: expected a whole number|unknown key "nam"; did you mean "name"?|unknown key "poin"; did you mean "point"?`},
		{"a part of what is given", `options={"a":1}|options.b=1`, `"options.b": "options" is given already`},
		{"a key with a dot", "dotted.key=1", `{"dotted.key":"1"}`},
		{"dots alone", "options.=1|.a=1", `unknown key "options."|unknown key ".a"`},
		{"text stays text", "text=5", `{"text":"5"}`},
		{"text with = and blanks", "text= a=b ", `{"text":" a=b "}`},
		{"empty text", "text=", `{"text":""}`},
		{"whole number", "count=-5", `{"count":-5}`},
		{"whole number as a float", "count=5e1", `{"count":5e1}`},
		{"large whole number", "count=9223372036854775807", `{"count":9223372036854775807}`},
		{"number", "ratio=0.5", `{"ratio":0.5}`},
		{"boolean", "deep=true", `{"deep":true}`},
		{"object", `options={"a": [1]}`, `{"options":{"a": [1]}}`},
		{"one element", "tags=a", `{"tags":["a"]}`},
		{"repeated elements", "tags=a|tags=b|text=x|tags=c", `{"tags":["a","b","c"],"text":"x"}`},
		{"a JSON array", `tags=["a","b"]`, `{"tags":["a","b"]}`},
		{"an empty array", `tags=[]`, `{"tags":[]}`},
		{"an array and more", `tags=["a"]|tags=b`, `{"tags":["a","b"]}`},
		{"text that looks like an array", `tags=[x`, `{"tags":["[x"]}`},
		{"elements by reference", "sizes=1|sizes=2", `{"sizes":[1,2]}`},
		{"one or many: one", "one-or-many=a", `{"one-or-many":"a"}`},
		{"one or many: many", `one-or-many=["a","b"]`, `{"one-or-many":["a","b"]}`},
		{"several types: the narrowest", "maybe=5", `{"maybe":5}`},
		{"several types: null", "maybe=null", `{"maybe":null}`},
		{"several types: text last", "maybe=five", `{"maybe":"five"}`},
		{"no type is text", "any=5", `{"any":"5"}`},
		{"reference", "size=5", `{"size":5}`},

		{"no =", "text", `"text": expected key=value`},
		{"no key", "=5", "no key before the ="},
		{"unknown key, near", "coun=5", `unknown key "coun"; did you mean "count"?`},
		{"unknown key, far", "zzzzzzzz=5", "the keys are any, count, deep"},
		{"not whole", "count=1.5", "count=1.5: expected a whole number"},
		{"not a number", "ratio=x", "ratio=x: expected a number"},
		{"not JSON's number", "ratio=0x10", "expected a number"},
		{"not a boolean", "deep=yes", "deep=yes: expected true or false"},
		{"not an object", "options=[]", "expected a JSON object"},
		{"given twice", "text=a|text=b", `"text" is given twice`},
		{"a bad element", "sizes=1|sizes=x", "sizes=x: expected a whole number, or a JSON array of that"},
		{"everything at once", "count=x|nope=1|deep=maybe|text", `count=x|unknown key "nope"|deep=maybe|"text"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var args []string
			if c.args != "" {
				args = strings.Split(c.args, "|")
			}
			got, err := scripttools.ParseArguments(specWith(t, argumentSchema), args)
			if strings.HasPrefix(c.want, "{") {
				if err != nil || compact(t, got) != compact(t, json.RawMessage(c.want)) {
					t.Errorf("got %s, error %v", got, err)
				}
				return
			}
			var bad *scripttools.ArgumentsError
			if !errors.As(err, &bad) || got != nil {
				t.Fatalf("got %s, error %v", got, err)
			}
			parts := strings.Split(c.want, "|")
			for _, part := range parts {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("no %q in %v", part, err)
				}
			}
			if len(bad.Problems) != len(parts) {
				t.Errorf("problems %q", bad.Problems)
			}
		})
	}
}

func compact(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	encoded, err := json.Marshal(raw)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

// A key that the schema does not name is taken where the schema takes it.
func TestParseArgumentsOpenSchemas(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		"", "{}", `{"type":"object"}`, `{"properties":{"a":{}},"additionalProperties":true}`,
		`{"properties":{"a":{}},"additionalProperties":{"type":"string"}}`, `{"properties":{"a":{}},"patternProperties":{"^k":{}}}`,
	} {
		got, err := scripttools.ParseArguments(specWith(t, raw), []string{"key=5"})
		if err != nil || string(got) != `{"key":"5"}` {
			t.Errorf("%s: got %s, error %v", raw, got, err)
		}
	}
	for _, raw := range []string{`{"properties":{"a":{}}}`, `{"properties":{"a":{}},"additionalProperties":false}`} {
		if got, err := scripttools.ParseArguments(specWith(t, raw), []string{"key=5"}); err == nil {
			t.Errorf("%s: got %s", raw, got)
		}
	}
	for schema, want := range map[string]string{
		`{"properties":{"a":{"type":"integer"}},"allOf":[{"properties":{"b":{"type":"integer"}},"required":["b"]}]}`:                        `{"a":1,"b":2}`,
		`{"$ref":"#/$defs/x","properties":{"a":{"type":"integer"}},"$defs":{"x":{"properties":{"b":{"type":"integer"}},"required":["b"]}}}`: `{"a":1,"b":2}`,
		`{"properties":{"a":{"type":"integer"}},"anyOf":[{"properties":{"b":{"type":"integer"}}},{"required":["c"]}]}`:                      `{"a":1,"b":"2"}`,
	} {
		spec := specWith(t, schema)
		if got, err := scripttools.ParseArguments(spec, []string{"a=1", "b=2"}); err != nil || string(got) != want {
			t.Errorf("%s: %s, %v", schema, got, err)
		}
		if all := scripttools.Properties([]byte(schema)); !strings.Contains(schema, "anyOf") && (len(all) != 2 || all[0].Name != "b" || !all[0].Required || all[1].Required) {
			t.Errorf("%s: %+v", schema, all)
		}
	}
	deep := `{"$ref":"#/$defs/a0","$defs":{"z":{}`
	for n := range 40 {
		deep += fmt.Sprintf(`,"a%d":{"allOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]}`, n, n+1, n+1)
	}
	if all := scripttools.Properties([]byte(deep + "}}")); len(all) != 0 { // 2^40 parts
		t.Error(all)
	}
	// A schema that refers to itself ends.
	if got, err := scripttools.ParseArguments(specWith(t, `{"properties":{"a":{"items":{"$ref":"#/properties/a"}}}}`), []string{"a=5"}); err != nil {
		t.Errorf("got %s, error %v", got, err)
	}
}

// Whatever the arguments are, what comes of them is a JSON object in which
// text is what was typed.
func TestParseArgumentsProperty(t *testing.T) {
	t.Parallel()
	spec := specWith(t, argumentSchema)
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.String().Draw(t, "value")
		key := rapid.SampledFrom([]string{"text", "count", "ratio", "deep", "tags", "options", "maybe", "any"}).Draw(t, "key")
		raw, err := scripttools.ParseArguments(spec, []string{key + "=" + value})
		if err != nil {
			return
		}
		var got map[string]any
		if err := json.Unmarshal(raw, &got); err != nil || len(got) != 1 {
			t.Fatalf("got %s, error %v", raw, err)
		}
		if s, ok := got[key].(string); ok && s != strings.ToValidUTF8(value, "\uFFFD") {
			t.Fatalf("typed %q, got %q", value, s)
		}
	})
}
