package protect

import (
	"path/filepath"
	"slices"
	"testing"
)

// TestHooksAtTheTopOfAWorkspaceAreHeld: the workspace itself stays writable.
func TestHooksAtTheTopOfAWorkspaceAreHeld(t *testing.T) {
	t.Parallel()
	for _, value := range []string{".", "$PWD", "sub/.."} {
		dir := newRepository(t, "mkdir sub; touch pre-commit other; git config core.hooksPath "+value)
		v := enter(t, newGuard(t, dir, Paths{}), Folders{Cwd: dir})
		if !slices.Contains(v.Held, filepath.Join(dir, "pre-commit")) || slices.Contains(v.Held, filepath.Join(dir, "other")) {
			t.Errorf("%s: held: %q", value, v.Held)
		}
		sh(t, dir, "echo evil > post-commit; echo fine > post-haste")
		if away := v.Leave(); len(away) != 1 || away[0].Path != "post-commit" {
			t.Errorf("%s: %+v", value, away)
		}
	}
}

// TestTemplatesAtTheTopOfAWorkspaceAreHeld: git copies them into new repositories.
func TestTemplatesAtTheTopOfAWorkspaceAreHeld(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ made, line, away string }{
		"of a setting":           {"git config init.templateDir $PWD", "mkdir hooks src; echo evil > hooks/post-commit; echo fine > src/a", "hooks"},
		"of an alias":            {`git config alias.new "init --template $PWD"`, "mkdir hooks src; echo evil > hooks/post-commit; echo fine > src/a", "hooks"},
		"whose hooks are it":     {"mkdir ../$$; ln -s $PWD ../$$/hooks; git config init.templateDir $(realpath ../$$)", "echo evil > post-commit; echo fine > a", "post-commit"},
		"of a worktree's folder": {"mkdir wk; git init -q sub; git -C sub config core.worktree ../../wk; git -C sub config core.hooksPath hk", "mkdir wk/hk; echo evil > wk/hk/post-commit", "wk/hk"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newRepository(t, c.made)
			v := enter(t, newGuard(t, dir, Paths{}), Folders{Cwd: dir})
			sh(t, dir, c.line)
			if away := v.Leave(); len(away) != 1 || away[0].Path != c.away {
				t.Errorf("%+v", away)
			}
		})
	}
}

// TestWhatAWorkspaceLiesInIsHeld: where commands write around it, too.
func TestWhatAWorkspaceLiesInIsHeld(t *testing.T) {
	t.Parallel()
	dir := newRepository(t, "mkdir -p .claude/x; touch .claude/settings.json")
	in := filepath.Join(dir, ".claude", "x")
	v := enter(t, newGuard(t, in, Paths{}), Folders{Cwd: in, Further: []string{dir}})
	defer v.Leave()
	if !slices.Contains(v.Held, filepath.Join(dir, ".claude")) {
		t.Errorf("held: %q", v.Held)
	}
}

// TestRelativeConfigurationsLeadFromEachRepository: not from the workspace alone.
func TestRelativeConfigurationsLeadFromEachRepository(t *testing.T) {
	t.Parallel()
	dir := newRepository(t, "git init -q sub; printf '[include]\\n\\tpath = inc\\n' > sub/gc; mkdir -p sub/.conf/git; printf '[core]\\n\\thooksPath = hk\\n' > sub/.conf/git/config")
	v := enter(t, newGuard(t, dir, Paths{Elsewhere: map[string][]string{"gc": {".gitconfig"}, ".conf": {".config"}}}), Folders{Cwd: dir})
	sh(t, dir, "mkdir sub/hk; echo evil > sub/hk/post-commit; printf '[core]\\n\\tfsmonitor = evil\\n' > sub/inc")
	var paths []string
	for _, away := range v.Leave() {
		paths = append(paths, away.Path)
	}
	if slices.Sort(paths); !slices.Equal(paths, []string{"sub/hk", "sub/inc"}) {
		t.Errorf("%q", paths)
	}
}
