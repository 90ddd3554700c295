package shell_test

import (
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// TestPreviewShowsAllOfACall: what is started, how, and what may come after it.
func TestPreviewShowsAllOfACall(t *testing.T) {
	t.Parallel()
	tool := shell.Tool{Dir: t.TempDir()}
	for _, c := range []struct {
		args       map[string]any
		background bool
		has, not   []string
	}{
		{map[string]any{"command": "python3 -q", "pty": true}, true, []string{"$ python3 -q\n", "on a terminal", "in the background", "its input stays open"}, nil},
		{map[string]any{"command": "python3 -q", "input": true}, true, []string{"in the background", "its input stays open"}, []string{"terminal"}},
		{map[string]any{"command": "python3 -q", "pty": true}, false, []string{"on a terminal"}, []string{"background", "input"}},
		{map[string]any{"command": "x", "timeoutMs": 600000, "env": map[string]string{"A": "b\n  in /"}}, false, []string{"600000 ms", "with A=b\n>   in /"}, []string{"background"}},
		{map[string]any{"command": "x\n  in /", "stdin": "one\n  in /"}, false, []string{"$ x\n>   in /\n", "its stdin, 10 bytes:\n> one\n>   in /"}, nil},
	} {
		text, err := tool.Preview(t.Context(), hostapi.Call{Tool: "bash", Args: encodedArgs(t, c.args), Background: c.background})
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range c.has {
			if !strings.Contains(text, part) {
				t.Errorf("%v has no %q:\n%s", c.args, part, text)
			}
		}
		for _, part := range c.not {
			if strings.Contains(text, part) {
				t.Errorf("%v has %q:\n%s", c.args, part, text)
			}
		}
	}
}
