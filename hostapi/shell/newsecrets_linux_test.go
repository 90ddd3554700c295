package shell_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// toolInHome works in a home folder.
func toolInHome(t *testing.T) (tool *shell.Tool, home string) {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tool = newTool(t)
	tool.Dir, tool.Env = home, append(tool.Env, "HOME="+home)
	return tool, home
}

// TestWhatComesAtNamesOfSecretsIsTold: a command can make a place of secrets that was
// not there, and what programs outside trust then is not what the user put there. What
// came stays, since the user may have made it meanwhile, and the result says so, once.
func TestWhatComesAtNamesOfSecretsIsTold(t *testing.T) {
	t.Parallel()
	tool, home := toolInHome(t)
	for _, c := range []struct {
		line string
		told []string
	}{
		{"echo x > notes", nil},
		{"mkdir s; echo KEY > s/authorized_keys; mv s .ssh", []string{".ssh"}},
		{"true", nil},
		{"ln -s dots/aws .aws", []string{".aws"}},
		{"mkdir -p dots/aws; echo x > dots/aws/config", []string{".aws"}},
		{"mkdir other; ! ln -sfn other .aws", nil}, // it leads to what is hidden, and stays
		{"ln -s one .azure; mkdir two", []string{".azure"}},
		{"ln -sfn two .azure", []string{".azure"}},
		{"mkdir -p c/gh c/other; mv c .config; false", []string{".config/gh"}},
		{"touch .npmrc .netrc", []string{".netrc", ".npmrc"}},
		{"rm -f .npmrc; echo y > notes", nil},
	} {
		result, got := run(t, tool, c.line)
		var told string
		for _, refused := range got.Refused {
			if strings.Contains(refused, "to trust") {
				told += refused
			}
		}
		var names []string
		for _, name := range c.told {
			names = append(names, filepath.Join(home, name))
		}
		if want := "to trust " + strings.Join(names, ", ") + ", which came"; (c.told == nil) != (told == "") || c.told != nil && !strings.Contains(told, want) {
			t.Errorf("%s: %s, %+v", c.line, result.Outcome, got)
		}
	}
	if _, err := os.Stat(filepath.Join(home, ".ssh", "authorized_keys")); err != nil {
		t.Errorf("it was taken away: %v", err)
	}
	other := newTool(t)
	other.Env = tool.Env
	if _, got := run(t, other, "mkdir .ssh"); len(got.Refused) > 0 {
		t.Errorf("in a folder that is no home: %+v", got)
	}
}
