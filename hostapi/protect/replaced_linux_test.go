package protect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWhatIsReplacedMeanwhileIsLookedAt: somebody replaces a protected file while
// a command runs, so that the command can write it from then on.
func TestWhatIsReplacedMeanwhileIsLookedAt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line  string
		path  string // of what is told
		kept  bool
		after string // what the file has in the end
	}{
		{"git config user.name me", "", false, "name = me"},
		{"git config alias.y y; git config --unset alias.y", "", false, "x = !mine"},
		{"git config user.name me; printf '[core]\\n\\tfsmonitor = evil\\n' >> .git/config", ".git/config", false, "x = !mine"},
		{"git config --unset alias.x; git config remote.o.pushurl https://evil.example", ".git/config", false, "x = !mine"},
		{"sed -i s/mine/evil/ .envrc", ".envrc", true, "evil"},
		{"cp .envrc a; rm .envrc; echo evil > .envrc", ".envrc", true, "evil"},
		{"rm -r .vscode; mkdir .vscode; echo evil > .vscode/tasks.json", ".vscode", true, ""},
	} {
		dir := newRepository(t, "git config alias.x '!mine'; echo mine > .envrc; mkdir .vscode")
		g := newGuard(t, dir, Paths{})
		v := enter(t, g, Folders{Cwd: dir})
		key := v.Key
		sh(t, dir, c.line)
		next := enter(t, g, Folders{Cwd: dir})
		if next.Key == key {
			t.Errorf("%s: a sandbox from before is used again", c.line)
		}
		away := next.Leave()
		switch {
		case c.path == "" && len(away) != 0, c.path != "" && (len(away) != 1 || away[0].Path != c.path || away[0].Kept != c.kept):
			t.Errorf("%s: %+v", c.line, away)
		}
		file := filepath.Join(dir, ".git", "config")
		if c.kept {
			file = filepath.Join(dir, c.path)
		}
		if text, _ := os.ReadFile(file); !strings.Contains(string(text), c.after) || !c.kept && strings.Contains(string(text), "evil") {
			t.Errorf("%s: %q", c.line, text)
		}
		if again := v.Leave(); len(again) != 0 {
			t.Errorf("%s: told again: %+v", c.line, again)
		}
	}
}

// TestConfigurationThatCannotBeFollowedIsTold: a configuration that git would read and the
// guard cannot is reported, once.
func TestConfigurationThatCannotBeFollowedIsTold(t *testing.T) {
	t.Parallel()
	dir := newRepository(t, "yes '# long' | head -c 2000000 >> .git/config")
	g := newGuard(t, dir, Paths{})
	away := enter(t, g, Folders{Cwd: dir}).Leave()
	if len(away) != 1 || !away[0].Kept || away[0].Path != ".git/config" || away[0].Err == nil {
		t.Errorf("%+v", away)
	}
	if again := enter(t, g, Folders{Cwd: dir}).Leave(); len(again) != 0 {
		t.Errorf("told again: %+v", again)
	}
}
