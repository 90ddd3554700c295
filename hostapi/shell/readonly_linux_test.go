package shell_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// TestWhatRunsInFurtherPlacesIsNotWrittenWhereTheWorkspaceIsReadOnly either: what is there, and what comes.
func TestWhatRunsInFurtherPlacesIsNotWrittenWhereTheWorkspaceIsReadOnly(t *testing.T) {
	t.Parallel()
	if !keeps(t, "modes") {
		return
	}
	place := t.TempDir()
	for name, text := range map[string]string{"tools/a.js": "good", "lib/m.js": "good"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(place, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(place, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	command(t, place, "git init -q . && rm -f .git/hooks/*")
	before, err := os.ReadFile(filepath.Join(place, ".git", "config"))
	if err != nil {
		t.Fatal(err)
	}
	tool := newTool(t)
	tool.Sandbox.Profile, tool.Sandbox.Write = shell.ProfileReadOnly, []string{place}
	for _, name := range []string{"tools", "lib/m.js", "lib/m.ts"} {
		tool.Sandbox.Protected.Further = append(tool.Sandbox.Protected.Further, filepath.Join(place, name))
	}
	_, got := run(t, tool, "cd "+place+"; for f in tools/a.js tools/new.js lib/m.js lib/m.ts lib/free.js .git/hooks/pre-commit .git/config .envrc; do { echo bad > $f; } 2>/dev/null; done; true")
	for name, want := range map[string]string{"tools/a.js": "good", "tools/new.js": "", "lib/m.js": "good", "lib/m.ts": "", "lib/free.js": "bad", ".git/hooks/pre-commit": "", ".git/config": strings.TrimSpace(string(before)), ".envrc": ""} {
		text, _ := os.ReadFile(filepath.Join(place, name))
		if strings.TrimSpace(string(text)) != want {
			t.Errorf("%s is %q, want %q\n%+v", name, text, want, got)
		}
	}
}
