package protect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWhereARepositoryWorksIsJudged: a repository that a command makes has its files where
// commands write, and in no folder that is protected or another repository's.
func TestWhereARepositoryWorksIsJudged(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	for name, c := range map[string]struct {
		line string
		near bool
	}{
		"outside":                   {"git init -q lib; git -C lib config core.worktree " + outside, false},
		"outside, by dots":          {"git init -q lib; git -C lib config core.worktree ../../..", false},
		"a link to outside":         {"ln -s " + outside + " way; git init -q lib; git -C lib config core.worktree ../../way", false},
		"a link on the way":         {"ln -s / way; git init -q lib; git -C lib config core.worktree ../../way" + outside, false},
		"what is not there":         {"git init -q lib; git -C lib config core.worktree " + outside + "/new", false},
		"dots behind nothing":       {"git init -q lib; git -C lib config core.worktree ../../new/../../..", false},
		"the workspace":             {"git init -q lib; git -C lib config core.worktree ../..", false},
		"the repository's hooks":    {"git init -q lib; mkdir -p .git/hooks; git -C lib config core.worktree ../../.git/hooks", false},
		"what is protected":         {"git init -q lib; git -C lib config core.worktree ../../.vscode", false},
		"another repository":        {"git init -q lib; git init -q n; git -C lib config core.worktree ../../n", false},
		"a bare one":                {"git init -q lib; git init -q --bare b; git -C lib config core.worktree ../../b", false},
		"in a further working tree": {"git init -q lib; git -C lib config extensions.worktreeconfig true; printf '[core]\\n\\tworktree = " + outside + "\\n' > lib/.git/config.worktree", false},
		"a submodule":               {"mkdir .git/modules; git init -q --separate-git-dir=.git/modules/lib lib; git config --file .git/modules/lib/config core.worktree ../../../lib", true},
		"a submodule that is gone":  {"mkdir .git/modules; git init -q --separate-git-dir=.git/modules/lib lib; git config --file .git/modules/lib/config core.worktree ../../../lib; rm -r lib", true},
		"its own":                   {"git init -q lib; git -C lib config core.worktree ..", true},
		"a folder of the workspace": {"git init -q lib; mkdir src; git -C lib config core.worktree ../../src", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newRepository(t, "")
			g := newGuard(t, dir, Paths{})
			v := enter(t, g, Folders{Cwd: dir})
			sh(t, dir, c.line)
			away := v.Leave()
			if near := len(away) == 0; near != c.near {
				t.Errorf("put away: %+v", away)
			}
			for _, file := range []string{"lib/.git/config", "lib/.git/config.worktree", ".git/modules/lib/config"} {
				if text, _ := os.ReadFile(filepath.Join(dir, file)); strings.Contains(string(text), "worktree =") && !c.near {
					t.Errorf("%s is still there: %s", file, text)
				}
			}
			if away := enter(t, g, Folders{Cwd: dir}).Leave(); len(away) > 0 {
				t.Errorf("the next command: %+v", away)
			}
		})
	}
}

// TestWhereARepositoryWorksStays: once it was judged, no link can appear on the way.
func TestWhereARepositoryWorksStays(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	for name, c := range map[string]struct{ made, line string }{
		"the folder":          {"mkdir -p src/a", "rm -r src/a; ln -s " + outside + " src/a"},
		"a folder on the way": {"mkdir -p src/a", "rm -r src; mkdir " + "other; ln -s " + outside + " other/a; ln -s other src"},
		"what was not there":  {"mkdir src", "ln -s " + outside + " src/a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newRepository(t, c.made+"; git init -q lib; git -C lib config core.worktree ../../src/a")
			g := newGuard(t, dir, Paths{})
			for range 2 { // the second time it is known that it was well
				v := enter(t, g, Folders{Cwd: dir})
				v.Leave()
			}
			v := enter(t, g, Folders{Cwd: dir})
			sh(t, dir, c.line)
			v.Leave()
			if to, err := filepath.EvalSymlinks(filepath.Join(dir, "src/a")); err == nil && to == outside {
				t.Error("it leads outside")
			}
		})
	}
}
