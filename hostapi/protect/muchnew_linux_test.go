package protect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWhatWasThereStaysWhereCommandsMakeTooMuch: of very many submodules, working folders or
// files in .git only new ones go.
func TestWhatWasThereStaysWhereCommandsMakeTooMuch(t *testing.T) {
	t.Parallel()
	const (
		made    = "git -c user.name=x -c user.email=x commit -q --allow-empty -m x; git worktree add -q mine; mkdir .git/modules; git init -q --separate-git-dir=.git/modules/m sub; mkdir -p .git/logs/refs/heads/old; mkdir $(seq -f .git/logs/refs/heads/old/%.0f 40); "
		check   = "git -C mine status; git -C sub status; git status; "
		names   = "seq 6000 | xargs "
		oldLogs = "test -d .git/logs/refs/heads/old; test -s .git/HEAD; "
	)
	for name, c := range map[string]struct{ line, gone, check string }{
		"64 working folders":        {"mkdir $(seq -f .git/worktrees/x%.0f 64)", "", "test -d .git/worktrees/x1;"},
		"1200 working folders":      {"mkdir $(seq -f .git/worktrees/x%.0f 1200)", ".git/worktrees/x1", ""},
		"very many working folders": {"cd .git/worktrees; seq 4000 | xargs touch", ".git/worktrees/1", ""},
		"100 submodules":            {"mkdir $(seq -f .git/modules/x%.0f 100); for i in $(seq 100); do echo ref: refs/heads/x >.git/modules/x$i/HEAD; done", "", "test -d .git/modules/x1;"},
		"1200 submodules":           {"mkdir $(seq -f .git/modules/x%.0f 1200); for i in $(seq 1200); do echo ref: refs/heads/x >.git/modules/x$i/HEAD; done", ".git/modules/x1", ""},
		"deep submodules":           {"mkdir -p .git/modules/$(seq -s / 400)", ".git/modules/1", ""},
		"very many logs":            {"cd .git/logs/refs/heads; " + names + "touch; ln -s /evil x", ".git/logs/refs/heads/x", oldLogs},
		"a new folder of them":      {"mkdir .git/logs/refs/heads/new; cd .git/logs/refs/heads/new; " + names + "touch; ln -s /evil x", ".git/logs/refs/heads/new/x", oldLogs},
		"in many old folders":       {"for i in $(seq 40); do (cd .git/logs/refs/heads/old/$i; seq 150 | xargs touch); done; ln -s /evil .git/logs/refs/heads/old/9/x", ".git/logs/refs/heads/old/9/x", oldLogs},
		"very many files":           {"cd .git; " + names + "touch; mkdir n; ln -s /evil n/x", ".git/n/x", oldLogs},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newRepository(t, made)
			g := newGuard(t, dir, Paths{})
			g.most, g.list = generous, 20_000
			v := enter(t, g, Folders{Cwd: dir})
			sh(t, dir, c.line)
			away := v.Leave()
			if c.gone != "" && isThere(filepath.Join(dir, c.gone)) || (len(away) > 0) != (c.gone != "") || len(away) > 1000 {
				t.Errorf("%d were put away: %.300v", len(away), away)
			}
			for _, a := range away {
				if a.To == "" || a.Kept {
					t.Errorf("%+v", a)
				}
			}
			sh(t, dir, check+c.check)
			if left, _ := os.ReadFile(filepath.Join(dir, "mine", ".git")); !strings.HasPrefix(string(left), "gitdir") {
				t.Errorf("%q", left)
			}
			if away := enter(t, g, Folders{Cwd: dir}).Leave(); len(away) > 0 {
				t.Errorf("the next command: %.300v", away)
			}
		})
	}
}
