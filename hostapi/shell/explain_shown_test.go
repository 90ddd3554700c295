package shell

import (
	"slices"
	"testing"
)

// TestExplainShowsRedirectionsAsTheyWereWritten: no descriptor that nobody wrote.
func TestExplainShowsRedirectionsAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{"cat <<EOF\nx\nEOF\n": "<<EOF", "ls &>x": "&>x"} {
		x := Explain(line, nil)
		if len(x.Commands) != 1 || !slices.Equal(x.Commands[0].Redirections, []string{want}) {
			t.Errorf("%q: %+v; expected %s", line, x.Commands, want)
		}
	}
}
