package protect

import (
	"path/filepath"
	"slices"
	"testing"
)

// TestRemotesOfOldAreJudged: folders in which git once kept remotes are read-only, and new ones
// stay only while they are empty.
func TestRemotesOfOldAreJudged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		made, line string
		near, held bool
	}{
		"remotes":             {"", "mkdir .git/remotes; echo URL: /evil > .git/remotes/origin", false, false},
		"branches":            {"rm -rf .git/branches", "mkdir .git/branches; echo /evil > .git/branches/origin", false, false},
		"a link":              {"rm -rf .git/branches", "mkdir b; ln -s ../b .git/branches", false, false},
		"a file":              {"", "echo x > .git/remotes", false, false},
		"of a submodule":      {"mkdir .git/modules; git init -q --separate-git-dir=.git/modules/m m", "mkdir .git/modules/m/remotes; echo URL: /evil > .git/modules/m/remotes/origin", false, false},
		"of a bare one":       {"", "git init -q --bare b; mkdir b/remotes; echo URL: /evil > b/remotes/origin", false, false},
		"of a new one":        {"", "git init -q n; mkdir n/.git/remotes; echo URL: /evil > n/.git/remotes/origin", false, false},
		"empty ones":          {"rm -rf .git/branches", "mkdir .git/remotes .git/branches", true, false},
		"a repository's own":  {"", "git init -q n; git init -q --bare b; mkdir -p n/.git/branches", true, false},
		"what was there":      {"mkdir -p .git/branches .git/remotes; echo URL: /mine > .git/remotes/mine", "git remote -v", true, true},
		"branches of a clone": {"git commit -q --allow-empty -m x", "git clone -q . c", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newRepository(t, "git config user.name x; git config user.email x; "+c.made)
			g := newGuard(t, dir, Paths{})
			v := enter(t, g, Folders{Cwd: dir})
			for _, part := range []string{"remotes", "branches"} {
				if c.held && !slices.Contains(v.Held, filepath.Join(dir, ".git", part)) {
					t.Errorf("%s is not held: %q", part, v.Held)
				}
			}
			sh(t, dir, c.line)
			if away := v.Leave(); len(away) == 0 != c.near {
				t.Errorf("put away: %+v", away)
			}
			if away := enter(t, g, Folders{Cwd: dir}).Leave(); len(away) > 0 {
				t.Errorf("the next command: %+v", away)
			}
		})
	}
}
