package schema_test

import (
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/schema"
)

// A misspelt choice is answered with the one that was meant, if there is one.
func TestAMisspeltChoiceHasItsNearest(t *testing.T) {
	t.Parallel()
	s, err := schema.Compile([]byte(`{"enum": ["text", "json", 1]}`))
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]string{`"jsn"`: `; did you mean "json"?`, `"yellow"`: "", "2": "", `"` + strings.Repeat("t", 100_000) + `"`: ""} {
		err := s.Validate([]byte(value))
		if err == nil || !strings.HasSuffix(err.Error(), want) || want == "" && strings.Contains(err.Error(), "did you mean") {
			t.Errorf("%.20s: %v", value, err)
		}
	}
}

// A property that is not known is the one that is missing, if there is one of each.
func TestAnUnknownPropertyIsTheOneThatIsMissing(t *testing.T) {
	t.Parallel()
	s, err := schema.Compile([]byte(`{"additionalProperties": false, "required": ["path"], "properties": {"path": {}, "limit": {}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]string{
		`{"file": "a"}`:            `additional properties 'file' not allowed; did you mean "path"?`,
		`{"limt": 1}`:              `additional properties 'limt' not allowed; did you mean "limit"?`,
		`{"file": "a", "dir": 1}`:  "not allowed; expected limit, path",
		`{"path": "a", "file": 1}`: "not allowed; expected limit, path",
	} {
		if err := s.Validate([]byte(value)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", value, err)
		}
	}
}
