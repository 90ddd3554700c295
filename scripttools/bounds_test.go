package scripttools_test

import (
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/scripttools"
)

// TestBoundsOfAnArgumentAreSaid: what a value has to be stands beside its type.
func TestBoundsOfAnArgumentAreSaid(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]string{
		`{"type":"integer","minimum":1,"maximum":100,"default":20}`:   "a whole number, 1 to 100, default 20",
		`{"type":"integer","minimum":0}`:                              "a whole number, at least 0",
		`{"type":"number","maximum":1.5}`:                             "a number, at most 1.5",
		`{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1}`: "a number, more than 0, less than 1",
		`{"type":"integer","multipleOf":5}`:                           "a whole number, a multiple of 5",
		`{"type":"string","minLength":1}`:                             "text, not empty",
		`{"type":"string","minLength":40,"maxLength":40}`:             "text, 40 characters",
		`{"type":"string","maxLength":80,"pattern":"^[a-z]+$"}`:       "text, at most 80 characters, pattern ^[a-z]+$",
		`{"type":"string","format":"date"}`:                           "text, format date",
		`{"type":"array","minItems":1,"maxItems":1}`:                  "a JSON array, 1 entry",
		`{"type":"array","minItems":1}`:                               "a JSON array, not empty",
		`{"type":"array","maxItems":1}`:                               "a JSON array, at most 1 entry",
		`{"type":"array","minItems":1,"maxItems":5}`:                  "a JSON array, 1 to 5 entries",
		`{"allOf":[{"type":"integer"},{"minimum":3},{"minimum":4}]}`:  "a whole number, at least 3",
		`{"const":"x"}`: `"x"`,
		`{"type":"integer","minimum":` + strings.Repeat("1", 80) + `}`:                       "a whole number",
		`{"type":"integer","minimum":1,"maximum":` + strings.Repeat("1", 80) + `}`:           "a whole number, at least 1",
		`{"type":"string","pattern":7,"format":"a\nb","minLength":1,"maxLength":1,"x-o":[]}`: "text, 1 character",
	} {
		all := scripttools.Properties([]byte(`{"properties":{"a":` + schema + `}}`))
		if len(all) != 1 || all[0].String() != want {
			t.Errorf("%s: %v, want %s", schema, all, want)
		}
	}
}
