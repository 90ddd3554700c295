package schema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/scriptrun/scriptrun/hostapi/schema"
)

func compile(t testing.TB, text string) *schema.Schema {
	t.Helper()
	s, err := schema.Compile(json.RawMessage(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCompileRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"type":"objekt"}`:                           "/type",
		`{"properties":{"a":{"minimum":"x"}}}`:        "/properties/a/minimum",
		`{`:                                           "not JSON",
		`{"$ref":"https://example.com/s.json"}`:       "nothing is fetched",
		`{"$ref":"file:///etc/passwd"}`:               "nothing is fetched",
		`{"$ref":"#/nope"}`:                           "schema",
		`{"pattern":"("}`:                             "",
		`{"type":"object","required":["a","a"]}`:      "/required",
		`{"$schema":"http://example.com/none","a":1}`: "",
	} {
		_, err := schema.Compile(json.RawMessage(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestValidateTellsAll(t *testing.T) {
	t.Parallel()
	s := compile(t, `{"type":"object","required":["path"],"additionalProperties":false,
		"properties":{"path":{"type":"string"},"depth":{"type":"integer","minimum":1},"list":{"type":"array","items":{"type":"string"}},"a/b~c":{"type":"null"}}}`)
	if err := s.Validate(json.RawMessage(`{"path":"x","depth":2.0,"list":["a"]}`)); err != nil {
		t.Error(err)
	}
	err := s.Validate(json.RawMessage(`{"depth":0,"list":["a",5],"more":1,"a/b~c":1}`))
	var broken *schema.Error
	if !errors.As(err, &broken) {
		t.Fatal(err)
	}
	var paths []string
	for _, v := range broken.Violations {
		paths = append(paths, v.Path)
		if v.Message == "" || !strings.Contains(err.Error(), v.String()) {
			t.Errorf("%+v", v)
		}
	}
	if diff := cmp.Diff([]string{"", "", "/a~1b~0c", "/depth", "/list/1"}, paths); diff != "" {
		t.Error(diff)
	}
	for _, text := range []string{`{`, ``, `{} {}`} {
		if err := s.Validate(json.RawMessage(text)); err == nil {
			t.Errorf("%q is valid", text)
		}
	}
}

func TestNilSchemaTakesAnyJSON(t *testing.T) {
	t.Parallel()
	var s *schema.Schema
	if err := s.Validate(json.RawMessage(`[1]`)); err != nil || s.Source() != nil {
		t.Error(err)
	}
	if err := s.Validate(json.RawMessage(`[`)); err == nil {
		t.Error("what is not JSON is valid")
	}
	if got, err := s.ApplyDefaults(json.RawMessage(`{"a":1}`)); err != nil || string(got) != `{"a":1}` {
		t.Errorf("%s %v", got, err)
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, schema, in, want string }{
		{"missing", `{"properties":{"a":{"default":1}}}`, `{}`, `{"a":1}`},
		{"given", `{"properties":{"a":{"default":1}}}`, `{"a":2}`, `{"a":2}`},
		{"null is given", `{"properties":{"a":{"default":1}}}`, `{"a":null}`, `{"a":null}`},
		{"nested", `{"properties":{"a":{"properties":{"b":{"default":true}}}}}`, `{"a":{}}`, `{"a":{"b":true}}`},
		{"inside a default", `{"properties":{"a":{"default":{},"properties":{"b":{"default":1}}}}}`, `{}`, `{"a":{"b":1}}`},
		{"no default, no object", `{"properties":{"a":{"properties":{"b":{"default":1}}}}}`, `{}`, `{}`},
		{"items", `{"properties":{"l":{"items":{"properties":{"b":{"default":1}}}}}}`, `{"l":[{},{"b":2}]}`, `{"l":[{"b":1},{"b":2}]}`},
		{"a reference", `{"$defs":{"x":{"properties":{"b":{"default":1}}}},"properties":{"a":{"$ref":"#/$defs/x"}}}`, `{"a":{}}`, `{"a":{"b":1}}`},
		{"large numbers stay", `{"properties":{"a":{"default":1}}}`, `{"n":12345678901234567890}`, `{"a":1,"n":12345678901234567890}`},
		{"a schema that refers to itself", `{"properties":{"a":{"$ref":"#","default":{}}}}`, `{}`, ``},
		{"not an object", `{"properties":{"a":{"default":1}}}`, `[1]`, `[1]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := compile(t, c.schema).ApplyDefaults(json.RawMessage(c.in))
			if err != nil || c.want != "" && string(got) != c.want {
				t.Errorf("got %s, %v; want %s", got, err, c.want)
			}
		})
	}
}

func FuzzValidate(f *testing.F) {
	s, err := schema.Compile(json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer","default":1},"b":{"$ref":"#"}}}`))
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(`{"a":1,"b":{"a":"x"}}`))
	f.Add([]byte(`[`))
	f.Fuzz(func(t *testing.T, data []byte) {
		filled, err := s.ApplyDefaults(data)
		if err != nil {
			return
		}
		if s.Validate(data) == nil && s.Validate(filled) != nil {
			t.Errorf("defaults made %s invalid: %s", data, filled)
		}
	})
}

// TestCompleteIsDefaultsAndThenTheCheck: it says what the two say one after the other.
func TestCompleteIsDefaultsAndThenTheCheck(t *testing.T) {
	t.Parallel()
	for _, source := range []string{
		`{"type":"object","required":["a"],"properties":{"a":{"type":"integer"},"b":{"type":"string","default":"x"}}}`,
		`{"properties":{"a":{"default":"no number","type":"number"}}}`, `{"required":["a"]}`, `true`, `false`, `{"type":"array","items":{"default":1}}`,
	} {
		s := compile(t, source)
		for _, raw := range []string{`{}`, `{"a":1}`, ` {"a":1, "b":"y"}`, `{"a":"<"}`, `[]`, `1e99999`, `{"a":`, `null`, `{"a":1} 2`} {
			want, wrong := s.ApplyDefaults(json.RawMessage(raw))
			if wrong == nil {
				wrong = s.Validate(want)
			}
			got, err := s.Complete(json.RawMessage(raw))
			if fmt.Sprint(err) != fmt.Sprint(wrong) || err == nil && string(got) != string(want) {
				t.Errorf("%s with %s: %s, %v, not %s, %v", source, raw, got, err, want, wrong)
			}
		}
	}
	var none *schema.Schema
	if got, err := none.Complete(json.RawMessage(`{"a":1}`)); err != nil || string(got) != `{"a":1}` {
		t.Errorf("%s, %v", got, err)
	}
}

// TestQuickChecksAreTheCheck: what is checked quickly has the same answer, and what
// takes time is left.
func TestQuickChecksAreTheCheck(t *testing.T) {
	t.Parallel()
	s := compile(t, `{"type":"object","properties":{"sum":{"type":"number"}},"required":["sum"]}`)
	for _, raw := range []string{`{"sum":3}`, `{"sum":"3"}`, `{}`, `[1]`, `1e99999`, `{"sum"`} {
		want := s.Validate(json.RawMessage(raw))
		if done, err := s.ValidateQuickly(json.RawMessage(raw)); !done || fmt.Sprint(err) != fmt.Sprint(want) {
			t.Errorf("%s: %v, %v, not %v", raw, done, err, want)
		}
	}
	twice := compile(t, `{"anyOf":[{"properties":{"a":{"$ref":"#"}}},{"properties":{"a":{"$ref":"#"}}}]}`)
	deep := strings.Repeat(`{"a":`, 14) + "1" + strings.Repeat("}", 14)
	for name, value := range map[string]struct {
		schema *schema.Schema
		raw    string
	}{
		"it multiplies": {twice, deep}, "it is large": {s, `{"sum":3,"x":"` + strings.Repeat("x", 20_000) + `"}`},
		"it has many parts":      {compile(t, `{"items":{"type":"number"}}`), "[" + strings.Repeat("1,", 3000) + "1]"},
		"its pattern takes long": {compile(t, `{"pattern":"`+strings.Repeat("(a|b)", 100)+`"}`), `"` + strings.Repeat("a", 10_000) + `"`},
	} {
		if done, err := value.schema.ValidateQuickly(json.RawMessage(value.raw)); done {
			t.Errorf("%s: it was checked, %v", name, err)
		}
	}
}

// TestUnknownNamesAreAnsweredWithKnownOnes: the nearest, or all there are.
func TestUnknownNamesAreAnsweredWithKnownOnes(t *testing.T) {
	t.Parallel()
	s := compile(t, `{"properties":{"pattern":true,"path":{"properties":{"x":true},"additionalProperties":false}},"additionalProperties":false}`)
	for value, want := range map[string]string{
		`{"patern":1}`: `(root): additional properties 'patern' not allowed; did you mean "pattern"?`, `{"query":1}`: `(root): additional properties 'query' not allowed; expected path, pattern`,
		`{"path":{"y":1}}`: `/path: additional properties 'y' not allowed`,
	} {
		if err := s.Validate(json.RawMessage(value)); err == nil || err.Error() != want {
			t.Errorf("%s: %v", value, err)
		}
	}
	if err := s.Validate(json.RawMessage(`{"` + strings.Repeat("p", 1<<20) + `":1}`)); err == nil || len(err.Error()) > 1000 {
		t.Error("a long name")
	}
}
