package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// TestColoursAreWhereTheyAreWanted: on a terminal that has them, unless a flag says otherwise,
// each stream by itself.
func TestColoursAreWhereTheyAreWanted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		flag                     string
		out, err, colours        bool
		outColoured, errColoured bool
	}{
		{"auto", true, true, true, true, true},
		{"auto", true, false, true, true, false},
		{"auto", false, true, true, false, true},
		{"auto", true, true, false, false, false}, // NO_COLOR, or a dumb terminal
		{"never", true, true, true, false, false},
		{"always", false, false, false, true, true},
	} {
		var stdout, stderr bytes.Buffer
		code := run(env{
			args: []string{"check", "testdata/screens/project/tools", "testdata/screens/project/broken", "--color", c.flag}, stdin: strings.NewReader(""),
			stdout: &stdout, stderr: &stderr, terminalOut: c.out, terminal: c.err, colours: c.colours, width: func() int { return 80 },
			interrupted: func() (context.Context, context.CancelFunc) { return context.WithCancel(t.Context()) },
		})
		if out, err := strings.Contains(stdout.String(), "\x1b["), strings.Contains(stderr.String(), "\x1b["); code != exitUsage || out != c.outColoured || err != c.errColoured {
			t.Errorf("%+v: exit code %d\n%q\n%q", c, code, stdout.String(), stderr.String())
		}
	}
}

// TestColourThatIsNone: the error names those there are.
func TestColourThatIsNone(t *testing.T) {
	t.Parallel()
	code, _, errs := onTerminal(t, "list", "--color", "sometimes")
	if code != exitUsage || !strings.Contains(strings.Join(strings.Fields(errs), " "), `expected auto, always or never, not "sometimes"`) {
		t.Errorf("exit code %d: %s", code, errs)
	}
}
