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
