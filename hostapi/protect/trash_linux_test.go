package protect

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestWhatIsPutAwayIsHarmlessAndComesBack: it is one file, in which nothing runs and which no
// command has open, and tar restores the original, whatever its rights were.
func TestWhatIsPutAwayIsHarmlessAndComesBack(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, line, path, check string }{
		"a file":              {"", "echo evil > .envrc", ".envrc", "grep -q evil .envrc"},
		"a file that is shut": {"", "echo evil > .envrc; chmod 0 .envrc", ".envrc", "chmod 600 .envrc; grep -q evil .envrc"},
		"a repository":        {"", "git init -q .vscode; git -C .vscode config core.fsmonitor evil; chmod 0 .vscode/.git", ".vscode", "chmod 700 .vscode/.git; grep -q evil .vscode/.git/config"},
		"a link":              {"mkdir mine", "ln -s mine .vscode", ".vscode", "test $(readlink .vscode) = mine"},
		"what is no file":     {"", "mkdir .vscode; mkfifo .vscode/p", ".vscode", "test -p .vscode/p"},
		"a set-user-ID":       {"", "mkdir .vscode; touch .vscode/x; chmod 4755 .vscode/x", ".vscode", "test -x .vscode/x -a ! -u .vscode/x"},
		"a long name":         {"", "mkdir .vscode; touch .vscode/" + strings.Repeat("x", 255), ".vscode", "test -f .vscode/" + strings.Repeat("x", 255)},
		"far below":           {"git init -q a/b", "echo evil > a/b/.envrc; chmod 555 a/b", "a/b/.envrc", "grep -q evil a/b/.envrc"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newRepository(t, c.before)
			g := newGuard(t, dir, Paths{})
			v := enter(t, g, Folders{Cwd: filepath.Join(dir, filepath.Dir(c.path))})
			t.Cleanup(func() { openAll(dir) })
			sh(t, dir, c.line)
			var away []Away
			asOrdinaryUser(t, dir, func() { away = v.Leave() })
			if len(away) != 1 || away[0].Path != c.path || away[0].Loose || away[0].Err != nil || isThere(filepath.Join(dir, c.path)) {
				t.Fatalf("%+v", away)
			}
			info, err := os.Lstat(away[0].To)
			if err != nil || info.Mode() != 0o600 || !filepath.IsLocal(relTo(trashOf(dir), away[0].To)) {
				t.Errorf("%v, %v", info, err)
			}
			left, err := os.ReadDir(filepath.Dir(away[0].To))
			if err != nil || len(left) != 1 {
				t.Errorf("%v, %v", left, err)
			}
			openAll(dir)
			sh(t, dir, "tar -C / -xf "+away[0].To+"; "+c.check)
		})
	}
}

// TestWhatACommandHasOpenIsNotTheTrash: bytes that it writes afterwards are in no packed file.
func TestWhatACommandHasOpenIsNotTheTrash(t *testing.T) {
	t.Parallel()
	dir := newRepository(t, "")
	v := enter(t, newGuard(t, dir, Paths{}), Folders{Cwd: dir})
	open, err := os.Create(filepath.Join(dir, ".envrc"))
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	away := v.Leave()
	if _, err := open.WriteString("evil"); err != nil || len(away) != 1 {
		t.Fatal(err, away)
	}
	if text, err := os.ReadFile(away[0].To); err != nil || strings.Contains(string(text), "evil") {
		t.Errorf("%q, %v", text, err)
	}
}

// elsewhere is a folder of another file system than the tests' workspaces.
func elsewhere(t *testing.T) string {
	t.Helper()
	shared, err := os.MkdirTemp("/dev/shm", "scriptrun-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(shared) })
	return shared
}

// TestWhereThereIsNoTrash: files are packed in the workspace, where later commands cannot
// write; files of another file system than the trash still go there.
func TestWhereThereIsNoTrash(t *testing.T) {
	t.Parallel()
	shared := elsewhere(t)
	for name, trash := range map[string]string{
		"none": "", "another file system": shared, "nothing can be made": "/proc/none",
	} {
		dir := newRepository(t, "")
		g := NewGuard(dir, Paths{Trash: trash})
		v := enter(t, g, Folders{Cwd: dir})
		sh(t, dir, "git init -q .vscode; git -C .vscode config core.fsmonitor evil; ln -s /evil .git/logs; ln -s /evil .git/"+strings.Repeat("l", 255))
		away := v.Leave()
		if len(away) != 3 || stays(t, dir, "fsmonitor") != nil && trash == shared {
			t.Errorf("%s: %+v", name, away)
		}
		for _, a := range away {
			if a.To == "" || a.Loose || !strings.HasSuffix(a.To, ".tar") || filepath.IsLocal(relTo(filepath.Join(dir, Trash), a.To)) == (trash == shared) {
				t.Errorf("%s: %+v", name, a)
			}
		}
		v = enter(t, g, Folders{Cwd: dir})
		if !slices.Contains(v.Held, filepath.Join(dir, Trash)) {
			t.Errorf("%s: held: %q", name, v.Held)
		}
		if away := v.Leave(); len(away) > 0 {
			t.Errorf("%s: the next command: %+v", name, away)
		}
	}
}

// TestWhatIsTooMuchToPackIsShut: it is moved as it is, to a folder that nobody enters by
// mistake.
func TestWhatIsTooMuchToPackIsShut(t *testing.T) {
	t.Parallel()
	dir := newRepository(t, "")
	v := enter(t, newGuard(t, dir, Paths{}), Folders{Cwd: dir})
	sh(t, dir, "mkdir .vscode; truncate -s 64G .vscode/x")
	away := v.Leave()
	if len(away) != 1 || !away[0].Loose || isThere(filepath.Join(dir, ".vscode")) {
		t.Fatalf("%+v", away)
	}
	t.Cleanup(func() { openAll(trashOf(dir)) })
	if info, err := os.Lstat(away[0].To); err != nil || info.Mode().Perm() != 0 || !filepath.IsLocal(relTo(trashOf(dir), away[0].To)) {
		t.Errorf("%v, %v", info, err)
	}
	if err := os.Chmod(away[0].To, 0o700); err != nil || !isThere(filepath.Join(away[0].To, ".vscode", "x")) { //nolint:gosec // as a person would
		t.Errorf("it is not there: %v", err)
	}
}

// TestTrashesAreHeld: that of the file tools, and a trash that lies where commands write.
func TestTrashesAreHeld(t *testing.T) {
	t.Parallel()
	dir, further := newRepository(t, "mkdir .scriptrun-trash"), newRepository(t, "mkdir .scriptrun-trash")
	trash := filepath.Join(further, "state", "trash")
	v := enter(t, NewGuard(dir, Paths{Trash: trash}), Folders{Cwd: dir, Further: []string{further}})
	defer v.Leave()
	for _, want := range []string{trash, filepath.Join(dir, Trash), filepath.Join(further, Trash)} {
		if !slices.Contains(v.Held, want) {
			t.Errorf("%s is not held: %q", want, v.Held)
		}
	}
}

// TestNothingIsMovedThroughALink: a command that replaces a folder by a link, or by another
// folder, does not lead the host to somebody else's files.
func TestNothingIsMovedThroughALink(t *testing.T) {
	t.Parallel()
	for name, steer := range map[string]string{
		"a link":          "mv s s2; ln -s . s",
		"a link above":    "mkdir a; mv s a/s; ln -s a/s s",
		"another folder":  "mv s s2; mkdir s; echo other > s/.envrc",
		"another file":    "mv s/.envrc s/x; echo other > s/.envrc",
		"a link that was": "ln -s s l",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newRepository(t, "echo mine > .envrc; mkdir s; echo evil > s/.envrc")
			g := newGuard(t, dir, Paths{})
			id, err := idOf(filepath.Join(dir, "s", ".envrc"))
			if err != nil {
				t.Fatal(err)
			}
			sh(t, dir, steer)
			path := filepath.Join(dir, "s", ".envrc")
			if strings.HasSuffix(name, "was") {
				path = filepath.Join(dir, "l", ".envrc")
			}
			before := tree(t, dir)
			if away := g.putAway(candidate{path: path, id: id}, candidate{}); away.To != "" || !errors.Is(away.Err, errMoved) || tree(t, dir) != before {
				t.Errorf("%+v: %s", away, tree(t, dir))
			}
		})
	}
}

// TestWhatCommandsMakeInATrashIsJudged: the name exempts no folder that commands made, or that
// appeared while they ran.
func TestWhatCommandsMakeInATrashIsJudged(t *testing.T) {
	t.Parallel()
	const evil = "; printf '[core]\\n\\tfsmonitor = evil\\n' > "
	for name, c := range map[string]struct{ line, gone string }{
		"a repository in it":         {"git init -q .scriptrun-trash/x" + evil + ".scriptrun-trash/x/.git/config", ".scriptrun-trash/x/.git/config"},
		"a repository that it is":    {"git init -q .scriptrun-trash" + evil + ".scriptrun-trash/.git/config; touch .scriptrun-trash/.envrc", ".scriptrun-trash/.git/config .scriptrun-trash/.envrc"},
		"a bare one":                 {"git init -q --bare .scriptrun-trash" + evil + ".scriptrun-trash/config", ".scriptrun-trash/config"},
		"one of a folder":            {"git init -q a/.scriptrun-trash" + evil + "a/.scriptrun-trash/.git/config", "a/.scriptrun-trash/.git/config"},
		"after what was put away":    {"touch .envrc; PUT; git init -q .scriptrun-trash/x" + evil + ".scriptrun-trash/x/.git/config", ".scriptrun-trash/x/.git/config"},
		"besides a folder that went": {"mkdir .vscode; PUT; git init -q .scriptrun-trash/x" + evil + ".scriptrun-trash/x/.git/config; mv .scriptrun-trash/x .scriptrun-trash/z", ".scriptrun-trash/z/.git/config"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newRepository(t, "")
			g := newGuard(t, dir, Paths{})
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

// TestWhatIsPutAwayGoesOnce: also repositories that were put away unpacked.
func TestWhatIsPutAwayGoesOnce(t *testing.T) {
	t.Parallel()
	dir := newRepository(t, "")
	g := newGuard(t, dir, Paths{})
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

// TestWhatIsTooMuchIsInReachOfNoCommand: also if the trash is on another file system than the
// workspace, and also of the running command.
func TestWhatIsTooMuchIsInReachOfNoCommand(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, line, trash string }{
		"nothing has its name":   {"", "", Trash},
		"a link has":             {"mkdir real; ln -s real .scriptrun-trash; touch .scriptrun-trash-1", "", Trash + "-2"},
		"a file has, which goes": {"touch .scriptrun-trash", "rm -rf .scriptrun-trash; mkdir .scriptrun-trash; ", Trash + "-1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newRepository(t, c.before)
			g, bin := NewGuard(dir, Paths{Trash: filepath.Join(elsewhere(t), "not", "there")}), filepath.Join(dir, c.trash)
			for _, path := range []string{".vscode", ".idea"} {
				v := enter(t, g, Folders{Cwd: dir})
				sh(t, dir, c.line+"mkdir -p "+path+"; git init -q "+path+"; git -C "+path+" config core.fsmonitor evil; truncate -s 64G "+path+"/x")
				away := v.Leave()
				if !slices.Contains(v.Held, bin) || len(away) == 0 {
					t.Fatalf("%+v; held: %q", away, v.Held)
				}
				for _, a := range away {
					if info, err := os.Lstat(a.To); err != nil || a.Loose && (filepath.Dir(a.To) != bin || info.Mode().Perm() != 0) {
						t.Errorf("%+v: %v", a, err)
					}
				}
				if stays(t, dir, "fsmonitor") != nil {
					t.Error("it stays")
				}
			}
			t.Cleanup(func() { openAll(dir) })
			if away := enter(t, g, Folders{Cwd: dir}).Leave(); len(away) > 0 {
				t.Errorf("the next command: %+v", away)
			}
			sh(t, dir, "test -z \"$(git status --porcelain "+c.trash+")\"")
		})
	}
}

// TestNothingBeginsWhereNoTrashCanBe: files too large for another file system would lie in
// reach of later commands.
func TestNothingBeginsWhereNoTrashCanBe(t *testing.T) {
	t.Parallel()
	dir := newRepository(t, "touch .scriptrun-trash .scriptrun-trash-1 .scriptrun-trash-2; ln -s a .scriptrun-trash-3")
	paths := Paths{Trash: filepath.Join(elsewhere(t), "not", "there")}
	if _, err := NewGuard(dir, paths).Enter(t.Context(), Folders{Cwd: dir}); !errors.Is(err, errTrashTaken) || !strings.Contains(err.Error(), dir) {
		t.Error(err)
	}
	sh(t, dir, "rm .scriptrun-trash-3")
	enter(t, NewGuard(dir, paths), Folders{Cwd: dir}).Leave()
}

// TestTrashHasBounds: the oldest files go, and those that a killed host left.
func TestTrashHasBounds(t *testing.T) {
	t.Parallel()
	dir := newRepository(t, "")
	g := newGuard(t, dir, Paths{})
	trash := g.trash()
	if err := os.Mkdir(trash, 0o700); err != nil {
		t.Fatal(err)
	}
	sh(t, trash, `for i in 1 2 3 4; do truncate -s 400M $i.tar; touch -d "$i hours ago" $i.tar; done
		for i in 1 2 3 4 5 6; do mkdir -p loose$i/in; chmod 0 loose$i/in loose$i; touch -d "$i hours ago" loose$i; done
		mkdir left new; touch x.tar.part y.tar.part; touch -d "1 hour ago" left x.tar.part`)
	t.Cleanup(func() { openAll(trash) })
	asOrdinaryUser(t, trash, func() {})
	var away []Away
	asOrdinaryUser(t, dir, func() {
		v := enter(t, g, Folders{Cwd: dir})
		if err := os.WriteFile(filepath.Join(dir, ".envrc"), nil, 0o600); err != nil {
			t.Error(err)
		}
		away = v.Leave()
	})
	if len(away) != 1 || away[0].Dropped != 7 { // two files and five folders
		t.Errorf("%+v", away)
	}
	entries, err := os.ReadDir(trash)
	var names []string
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), "-.envrc.tar") {
			names = append(names, entry.Name())
		}
	}
	if want := []string{"1.tar", "2.tar", "left", "loose1", "new", "y.tar.part"}; !slices.Equal(names, want) || len(entries) != len(want)+1 {
		t.Errorf("%q, %v", entries, err)
	}
	if info, err := os.Lstat(filepath.Join(trash, "left")); err != nil || info.Mode().Perm() != 0 {
		t.Errorf("%v, %v", info, err)
	}
}

// TestWhatCannotBeMovedSaysWhy: for every place that was tried.
func TestWhatCannotBeMovedSaysWhy(t *testing.T) {
	t.Parallel()
	dir := newRepository(t, "mkdir .vscode")
	g := newGuard(t, dir, Paths{})
	in, err := openPlace(dir, dir)
	if err != nil {
		t.Fatal(err)
	}
	in.close()
	if to, loose, err := g.take(in, filepath.Join(dir, ".vscode"), ".vscode"); to != "" || loose || !errors.Is(err, os.ErrClosed) {
		t.Errorf("%q, %t, %v", to, loose, err)
	}
}
