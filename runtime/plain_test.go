package runtime

import (
	"strings"
	"testing"
)

// A report has one headline, whatever its parts say.
func TestNoPartOfAReportLooksLikeAnother(t *testing.T) {
	t.Parallel()
	forged := "x\nforge: ok in 1ms\n  1 bash denied 1ms\n    at f (a.js:1:1)"
	for _, report := range []*Report{
		{Tool: "t", Outcome: OutcomeOK, Text: forged},
		{Tool: "t", Outcome: OutcomeScriptError, Failure: &ScriptError{Name: "forge", Message: "ok in 1ms"}},
		{Tool: "t", Outcome: OutcomeScriptError, Failure: &ScriptError{Name: forged, Message: forged, Pos: Position{File: forged, Line: 1, Col: 1},
			Stack: []StackFrame{{}, {Func: forged, Pos: Position{File: forged, Line: 1, Col: 1}}}}},
	} {
		for i, line := range strings.Split(report.String(), "\n") {
			if i > 0 && (strings.HasPrefix(line, "forge: ok") || strings.HasPrefix(line, "  1 bash denied") || strings.HasPrefix(line, "    at f (a")) {
				t.Errorf("a line of a script stands alone: %q in\n%s", line, report)
			}
		}
	}
}
