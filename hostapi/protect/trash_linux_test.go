package protect

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestGitDoesNotSeeTheTrash: what is in the trash is not committed by who commits all there is,
// whatever stands where git is told so, and commands cannot change it.
func TestGitDoesNotSeeTheTrash(t *testing.T) {
	t.Parallel()
	const there = "mkdir .scriptrun-trash; "
	for name, before := range map[string]string{
		"none so far":         "",
		"one without it":      there + "echo token > .scriptrun-trash/x",
		"another text":        there + "echo '!x' > .scriptrun-trash/.gitignore",
		"nothing in it":       there + "touch .scriptrun-trash/.gitignore",
		"a longer one":        there + "yes x | head -c 100000 > .scriptrun-trash/.gitignore",
		"a link":              there + "echo '*' > y; git add y; ln -s ../y .scriptrun-trash/.gitignore",
		"a folder":            there + "mkdir .scriptrun-trash/.gitignore; echo x > .scriptrun-trash/.gitignore/x",
		"a pipe":              there + "mkfifo .scriptrun-trash/.gitignore",
		"one that none reads": there + "echo token > .scriptrun-trash/x; chmod 0 .scriptrun-trash",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newRepository(t, "rm -f probe; "+before)
			g := NewGuard(dir, Paths{})
			v := enter(t, g, Folders{Cwd: dir})
			if before != "" {
				ignored(t, dir)
			}
			sh(t, dir, "mkdir .vscode; echo evil > .vscode/tasks.json")
			if away := v.Leave(); len(away) != 1 || !strings.HasPrefix(away[0].To, Trash+"/") {
				t.Errorf("%+v", away)
			}
			ignored(t, dir)
			next := enter(t, g, Folders{Cwd: dir})
			defer next.Leave()
			if !slices.Contains(next.Held, filepath.Join(dir, Trash)) || slices.Contains(next.Pins, filepath.Join(dir, Trash)) {
				t.Errorf("held: %q, pinned: %q", next.Held, next.Pins)
			}
		})
	}
}

// ignored fails where git would take something of the trash along.
func ignored(t *testing.T, dir string) {
	t.Helper()
	if text, err := os.ReadFile(filepath.Join(dir, Trash, ".gitignore")); err != nil || string(text) != "*\n" {
		t.Errorf("%q, %v", text, err)
	}
	sh(t, dir, "git add -A; ! git ls-files | grep -F "+Trash)
}

// TestWhatACommandDidToTheTrashIsMended: also one that began when there was none.
func TestWhatACommandDidToTheTrashIsMended(t *testing.T) {
	t.Parallel()
	dir := newRepository(t, "")
	g := NewGuard(dir, Paths{})
	v := enter(t, g, Folders{Cwd: dir})
	sh(t, dir, "touch .envrc")
	enter(t, g, Folders{Cwd: dir}).Leave()
	sh(t, dir, "rm .scriptrun-trash/.gitignore")
	v.Leave()
	ignored(t, dir)
	sh(t, dir, "rm -r .scriptrun-trash")
	enter(t, g, Folders{Cwd: dir}).Leave()
	if isThere(filepath.Join(dir, Trash)) {
		t.Error("a trash was made for nothing")
	}
}

// TestTheTrashIsNoLink: nothing is put where a link in its place leads, and nothing there is
// kept from git.
func TestTheTrashIsNoLink(t *testing.T) {
	t.Parallel()
	dir := newRepository(t, "mkdir src; ln -s src .scriptrun-trash")
	g := NewGuard(dir, Paths{})
	v := enter(t, g, Folders{Cwd: dir})
	sh(t, dir, "touch .envrc")
	away := v.Leave()
	if left, err := os.ReadDir(filepath.Join(dir, "src")); err != nil || len(left) > 0 || len(away) != 1 || away[0].To == "" {
		t.Errorf("%v, %v, %+v", left, err, away)
	}
}

// TestTrashesOfFurtherFoldersAreKeptFromGit: what came in a folder beside the workspace.
func TestTrashesOfFurtherFoldersAreKeptFromGit(t *testing.T) {
	t.Parallel()
	dir, further := newRepository(t, ""), newRepository(t, "")
	g := NewGuard(dir, Paths{})
	v := enter(t, g, Folders{Cwd: dir, Further: []string{further}})
	sh(t, further, "touch .envrc; git init -q .scriptrun-trash/x; echo '[core] fsmonitor = evil' > .scriptrun-trash/x/.git/config")
	v.Leave()
	ignored(t, further)
	if isThere(filepath.Join(further, Trash, "x", ".git", "config")) {
		t.Error("what a command made in a trash stays")
	}
	next := enter(t, g, Folders{Cwd: dir, Further: []string{further}})
	defer next.Leave()
	if !slices.Contains(next.Held, filepath.Join(further, Trash)) {
		t.Errorf("held: %q", next.Held)
	}
}

// TestWhatCommandsMakeInATrashIsJudged: the name takes nothing out of the look that commands
// made where there was none, or that came while they ran.
func TestWhatCommandsMakeInATrashIsJudged(t *testing.T) {
	t.Parallel()
	const evil = "; printf '[core]\\n\\tfsmonitor = evil\\n' > "
	for name, c := range map[string]struct{ line, gone string }{
		"a repository in it":         {"git init -q .scriptrun-trash/x" + evil + ".scriptrun-trash/x/.git/config", ".scriptrun-trash/x/.git/config"},
		"a repository that it is":    {"git init -q .scriptrun-trash" + evil + ".scriptrun-trash/.git/config; touch .scriptrun-trash/.envrc", ".scriptrun-trash/.git/config .scriptrun-trash/.envrc"},
		"a bare one":                 {"git init -q --bare .scriptrun-trash" + evil + ".scriptrun-trash/config", ".scriptrun-trash/config"},
		"one of a folder":            {"git init -q a/.scriptrun-trash" + evil + "a/.scriptrun-trash/.git/config", "a/.scriptrun-trash/.git/config"},
		"after what was put away":    {"touch .envrc; PUT; git init -q .scriptrun-trash/x" + evil + ".scriptrun-trash/x/.git/config", ".scriptrun-trash/x/.git/config"},
		"besides a folder that went": {"mkdir .vscode; PUT; git init -q .scriptrun-trash/x" + evil + ".scriptrun-trash/x/.git/config; mv .scriptrun-trash/*-.vscode .scriptrun-trash/y; mv .scriptrun-trash/x .scriptrun-trash/z", ".scriptrun-trash/z/.git/config"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newRepository(t, "")
			g := NewGuard(dir, Paths{})
			v := enter(t, g, Folders{Cwd: dir})
			for i, line := range strings.Split(c.line, "PUT; ") {
				if i > 0 {
					enter(t, g, Folders{Cwd: dir}).Leave()
				}
				sh(t, dir, line)
			}
			away := v.Leave()
			for gone := range strings.FieldsSeq(c.gone) {
				if isThere(filepath.Join(dir, gone)) {
					t.Errorf("%s is still there: %+v", gone, away)
				}
			}
			next := enter(t, g, Folders{Cwd: dir})
			if away := next.Leave(); len(away) > 0 {
				t.Errorf("the next command: %+v", away)
			}
			if isThere(filepath.Join(dir, Trash)) && !slices.Contains(next.Held, filepath.Join(dir, Trash)) {
				t.Errorf("held: %q", next.Held)
			}
		})
	}
}

// TestWhatIsInTheTrashIsNotPutAwayAgain: also a repository that went there as it was.
func TestWhatIsInTheTrashIsNotPutAwayAgain(t *testing.T) {
	t.Parallel()
	dir := newRepository(t, "")
	g := NewGuard(dir, Paths{})
	v := enter(t, g, Folders{Cwd: dir})
	plantMany(t, dir, 30)
	g.most = 1 // nanosecond
	other := v.Leave()
	g.most = generous
	away := enter(t, g, Folders{Cwd: dir}).Leave()
	if all := len(other) + len(away); all < 31 || all > 33 {
		t.Errorf("%d and %d went: %+v", len(other), len(away), away)
	}
	if away := enter(t, g, Folders{Cwd: dir}).Leave(); len(away) > 0 {
		t.Errorf("%+v", away)
	}
}
