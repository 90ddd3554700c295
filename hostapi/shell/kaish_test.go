//go:build unix

package shell_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
)

// TestKaishEndings compares endings with those of kaish, by the numbers of that comparison; what
// stands there is our answer.
func TestKaishEndings(t *testing.T) {
	t.Parallel()
	const much = "seq 100000; exit 3"
	for _, c := range []struct {
		id, what string
		spill    string // the folder for files, in the workspace's parent; empty for none
		args     map[string]any
		code     int
		has      string // in the metadata
		lacks    string
	}{
		{"2c-40", "what is cut is whole in a file", "spill", map[string]any{"command": much}, 3, `"stdoutFile"`, `"spillError"`},
		{"2c-42", "without a folder for files the cut is the same", "", map[string]any{"command": much}, 3, `"droppedBytes"`, `"stdoutFile"`},
		{"2c-43", "files that cannot be written are told of", "a file", map[string]any{"command": much}, 3, `"spillError"`, `"stdoutFile"`},
		{"2c-49", "a program that there is not", "", map[string]any{"command": "no-such-program-here"}, 127, "", ""},
		{"2c-49", "a file that is no program", "", map[string]any{"command": "./plain"}, 126, "", ""},
		{"2c-49", "a directory", "", map[string]any{"command": "./"}, 126, "", ""},
		{"2c-49", "a program that there is not, without a shell", "", map[string]any{"argv": []string{"no-such-program-here"}}, -1, "", ""},
	} {
		t.Run(c.id+" "+c.what, func(t *testing.T) {
			t.Parallel()
			tool := newTool(t)
			beside := t.TempDir()
			for name, dir := range map[string]string{"plain": tool.Dir, "a file": beside} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte("text"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if c.spill != "" {
				tool.SpillDir = filepath.Join(beside, c.spill)
			}
			result, _, err := invoke(t.Context(), t, tool, c.args, 4096)
			about := string(result.Metadata)
			if err != nil || result.ExitCode != c.code || !strings.Contains(about, c.has) || c.lacks != "" && strings.Contains(about, c.lacks) {
				t.Errorf("exit code %d, %s, %v: %s", result.ExitCode, about, err, result.Output)
			}
			if cut := strings.Contains(result.Output, "bytes dropped here"); cut != (c.code == 3) || cut != result.Truncated {
				t.Errorf("cut %t, said %t", cut, result.Truncated)
			}
		})
	}
	for _, value := range []any{[]string{"x"}, map[string]string{"x": "y"}, 1} {
		_, _, err := invoke(t.Context(), t, newTool(t), map[string]any{"command": "true", "env": map[string]any{"A": value}}, 0)
		if !errors.Is(err, hostapi.ErrInvalidArgs) || !strings.Contains(err.Error(), "/env/A") {
			t.Errorf("2c-53: a variable of %v: %v", value, err)
		}
	}
}
