package protect

import (
	"os"
	"path/filepath"
	"testing"
)

// TestGitWritesThroughNoNewLink: a link that a command leaves where git writes is put
// away, and one that was there stays as it was.
func TestGitWritesThroughNoNewLink(t *testing.T) {
	t.Parallel()
	const mine = "ln -s ../mine .git/ORIG_HEAD"
	for name, c := range map[string]struct{ made, line, path, to string }{
		"a log":               {"", "mkdir -p .git/logs; ln -sf /evil .git/logs/HEAD", ".git/logs/HEAD", ""},
		"a branch's log":      {"", "mkdir -p .git/logs/refs/heads; ln -s /evil .git/logs/refs/heads/x", ".git/logs/refs/heads/x", ""},
		"all logs":            {"", "rm -rf .git/logs; ln -s /evil .git/logs", ".git/logs", ""},
		"a message":           {"", "ln -s /evil .git/COMMIT_EDITMSG", ".git/COMMIT_EDITMSG", ""},
		"one of a submodule":  {"mkdir .git/modules; git init -q --separate-git-dir=.git/modules/m m", "ln -s /evil .git/modules/m/COMMIT_EDITMSG", ".git/modules/m/COMMIT_EDITMSG", ""},
		"one of a tree":       {"git -c user.name=x -c user.email=x commit -q --allow-empty -m x; git worktree add -q tree", "ln -s /evil .git/worktrees/tree/COMMIT_EDITMSG", ".git/worktrees/tree/COMMIT_EDITMSG", ""},
		"one of a new one":    {"", "git init -q n; ln -s /evil n/.git/FETCH_HEAD", "n/.git/FETCH_HEAD", ""},
		"one that was there":  {mine, "git status", ".git/ORIG_HEAD", "../mine"},
		"one that is another": {mine, "ln -sf /evil .git/ORIG_HEAD", ".git/ORIG_HEAD", "../mine"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newRepository(t, c.made)
			g := NewGuard(dir, Paths{})
			v := enter(t, g, Folders{Cwd: dir})
			sh(t, dir, c.line)
			away := v.Leave()
			if to, _ := os.Readlink(filepath.Join(dir, c.path)); to != c.to {
				t.Errorf("it leads to %q, put away: %+v", to, away)
			}
			if away := enter(t, g, Folders{Cwd: dir}).Leave(); len(away) > 0 {
				t.Errorf("the next command: %+v", away)
			}
		})
	}
}
