package cases_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/scripttools/cases"
)

// TestMatchers: what each takes, and what is told where it does not match.
func TestMatchers(t *testing.T) {
	t.Parallel()
	b := newBench(t, "", "return inputs.v")
	long := strings.Repeat("a", 300)
	for _, test := range []struct{ value, want, differs string }{
		{`1`, `1.0`, ""},
		{`9007199254740993`, `9007199254740993`, ""},
		{`1`, `"1"`, `value: got 1, want "1"`},
		{`null`, `null`, ""},
		{`null`, `{}`, `value: got null, want {}`},
		{`[1, [2]]`, `[1, [3]]`, `value[1][0]: got 2, want 3`},
		{`[1, 2]`, `[1]`, "value: got 2 elements, want 1\nvalue[1]: got 2, want nothing"},
		{`[1]`, `[1, 2]`, "value: got 1 elements, want 2\nvalue[1]: got nothing, want 2"},
		{`{"a b": 1}`, `{"a b": 2}`, `value["a b"]: got 1, want 2`},
		{`{"a": 1, "b": 2}`, `{"b": 2, "c": 3}`, "value.c: got nothing, want 3\nvalue.a: got 1, want nothing"},
		{`"one\ntwo\nthree"`, `"one\nTWO\nthree"`, `value, line 2: got "two", want "TWO"`},
		{`"one\ntwo"`, `"one"`, "value: got 2 lines, want 1\nvalue, line 2: got \"two\", want nothing"},
		{`"` + long + `x"`, `"` + long + `y"`, `value: got …"aaaaaaaaaaaaaaaaaaaax", want …"aaaaaaaaaaaaaaaaaaaay"`},
		{`"abc"`, `{"$match": "^a.c$"}`, ""},
		{`"abc"`, `{"$match": "^b"}`, `value: got "abc", want a text that matches ^b`},
		{`1`, `{"$match": "1"}`, `value: got 1, want a text that matches 1`},
		{`null`, `{"$any": "string|null"}`, ""},
		{`[]`, `{"$any": "array"}`, ""},
		{`{}`, `{"$any": "any"}`, ""},
		{`true`, `{"$any": "string|null"}`, `value: got true, want string or null`},
		{`{"a": 1, "b": {"c": 2, "d": 3}}`, `{"$has": {"b": {"$has": {"c": 2}}}}`, ""},
		{`{"a": 1, "b": {"c": 2, "d": 3}}`, `{"$has": {"b": {"c": 2}}}`, `value.b.d: got 3, want nothing`},
		{`{"a": 1}`, `{"$has": {"b": 1}}`, `value.b: got nothing, want 1`},
		{`[1, {"a": 2, "b": 3}]`, `{"$has": [{"$has": {"a": 2}}]}`, ""},
		{`[1, 2]`, `{"$has": [3]}`, `value: got 2 elements without it, want 3`},
		{`"abc"`, `{"$has": "bc"}`, ""},
		{`"abc"`, `{"$has": "x"}`, `value: got "abc", want a text with "x" in it`},
		{`{"$match": "a"}`, `{"$is": {"$match": "a"}}`, ""},
		{`{"$match": "a"}`, `{"$is": {"$match": "b"}}`, `value.$match: got "a", want "b"`},
		{`{"$match": "a", "b": 1}`, `{"$match": "a", "b": 1}`, ""},
	} {
		verdict := b.replay(t, &cases.Case{
			Name: "c", Inputs: json.RawMessage(`{"v": ` + test.value + `}`), Expected: cases.Expected{Value: json.RawMessage(test.want)},
		})
		var told []string
		for _, failure := range verdict.Failures {
			for _, d := range failure.Differences {
				told = append(told, d.String())
			}
		}
		if got := strings.Join(told, "\n"); got != test.differs {
			t.Errorf("%s and %s: %s\nwant: %s", test.value, test.want, got, test.differs)
		}
	}
}
