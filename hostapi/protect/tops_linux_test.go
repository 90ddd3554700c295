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
	dir := newRepository(t, "git config init.templateDir $PWD")
	v := enter(t, newGuard(t, dir, Paths{}), Folders{Cwd: dir})
	sh(t, dir, "mkdir hooks src; echo evil > hooks/post-commit; echo fine > src/a")
	if away := v.Leave(); len(away) != 1 || away[0].Path != "hooks" {
		t.Errorf("%+v", away)
	}
}

// TestALinkToTheTopHoldsNotAllOfIt: nothing could be written then.
func TestALinkToTheTopHoldsNotAllOfIt(t *testing.T) {
	t.Parallel()
	dir := newRepository(t, "ln -s . hk; git config core.hooksPath hk")
	v := enter(t, newGuard(t, dir, Paths{}), Folders{Cwd: dir})
	defer v.Leave()
	if slices.Contains(v.Held, dir) {
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
