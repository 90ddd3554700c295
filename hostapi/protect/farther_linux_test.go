package protect

import (
	"path/filepath"
	"slices"
	"testing"
)

// TestRepositoriesInFurtherFoldersAreProtected: like those of the workspace, old and new ones.
func TestRepositoriesInFurtherFoldersAreProtected(t *testing.T) {
	t.Parallel()
	const evil = "printf '[core]\n\tfsmonitor = evil\n' >> "
	for name, c := range map[string]struct{ line, gone string }{
		"a new one":          {"mkdir -p grp; git init -q grp/new; " + evil + "grp/new/.git/config", "grp/new/.git/config"},
		"a hook of it":       {"git init -q new; echo evil > new/.git/hooks/pre-commit", "new/.git/hooks"},
		"a new bare one":     {"git init -q --bare b; " + evil + "b/config", "b/config"},
		"what direnv runs":   {"echo evil > other/.envrc", "other/.envrc"},
		"an editor's folder": {"mkdir grp/third/.vscode; echo evil > grp/third/.vscode/tasks.json", "grp/third/.vscode"},
		"a new worktree's":   {"git -C other worktree add -q ../tree; echo evil > tree/.envrc", "tree/.envrc"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, further := newRepository(t, ""), newRepository(t, "rm -r .git; "+commitIn("other")+commitIn("grp/third"))
			g := newGuard(t, dir, Paths{})
			where := Folders{Cwd: dir, Further: []string{further}}
			v := enter(t, g, where)
			for _, repo := range []string{"other", "grp/third"} {
				for _, part := range []string{"config", "hooks"} {
					if !slices.Contains(v.Held, filepath.Join(further, repo, ".git", part)) {
						t.Errorf("%s of %s is not held: %q", part, repo, v.Held)
					}
				}
				if !slices.Contains(v.Pins, filepath.Join(further, repo)) {
					t.Errorf("%s is not pinned: %q", repo, v.Pins)
				}
			}
			sh(t, further, c.line)
			away := v.Leave()
			if !gone(filepath.Join(further, c.gone)) || len(away) == 0 {
				t.Errorf("%s is still there: %+v", c.gone, away)
			}
			if again := enter(t, g, where).Leave(); len(again) > 0 {
				t.Errorf("the next command: %+v", again)
			}
		})
	}
}

// TestWhatGitMakesInFurtherFoldersStays: a repository, a clone and a further working folder.
func TestWhatGitMakesInFurtherFoldersStays(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"git init -q new", "git clone -q other new", "git -C other worktree add -q ../tree", "git init -q --bare b", commitIn("x/y")} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			dir, further := newRepository(t, ""), newRepository(t, "rm -r .git; "+commitIn("other"))
			g := newGuard(t, dir, Paths{})
			where := Folders{Cwd: dir, Further: []string{further}}
			v := enter(t, g, where)
			sh(t, further, line)
			if away := v.Leave(); len(away) > 0 {
				t.Errorf("put away: %+v", away)
			}
			if again := enter(t, g, where).Leave(); len(again) > 0 {
				t.Errorf("the next command: %+v", again)
			}
		})
	}
}
