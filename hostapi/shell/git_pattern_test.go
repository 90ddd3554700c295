package shell_test

import (
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// A rule for a command that the tool never runs is a mistake, told before anything runs.
func TestRulesOfGitNameCommandsThatRead(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		"log *": "", "show HEAD*": "", "*": "", "l* x": "", "-C sub log": "", "lgo *": "did you mean log?",
		"commit *": `"commit" is no command of git that only reads; expected one of `, "log > x": "cannot be in a pattern",
	} {
		err := (&shell.Git{Shell: &shell.Tool{}}).CheckPattern(pattern)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("git(%s): %v, want %q", pattern, err, want)
		}
	}
}
