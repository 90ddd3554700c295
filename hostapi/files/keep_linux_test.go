package files_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/files"
	"golang.org/x/sys/unix"
)

// accessList lets user 1 read and write beside owner, group and others: an access
// list as Linux stores it.
var accessList = []byte{
	2, 0, 0, 0,
	1, 0, 6, 0, 0xff, 0xff, 0xff, 0xff, // owner rw-
	2, 0, 6, 0, 1, 0, 0, 0, // user 1 rw-
	4, 0, 4, 0, 0xff, 0xff, 0xff, 0xff, // group r--
	0x10, 0, 6, 0, 0xff, 0xff, 0xff, 0xff, // mask rw-
	0x20, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, // others ---
}

func statFile(t *testing.T, path string) *syscall.Stat_t {
	t.Helper()
	at, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return at.Sys().(*syscall.Stat_t)
}

// changes are the calls that replace the file f.
var changes = map[string]map[string]any{
	"write": {"file_path": "f", "content": "new"}, "edit": {"file_path": "f", "old_string": "old", "new_string": "new"},
}

// TestAFileKeepsWhatItHasBesideItsContent: owner, group, mode, access list and the
// attributes of users, over an edit and an overwrite.
func TestAFileKeepsWhatItHasBesideItsContent(t *testing.T) {
	t.Parallel()
	for tool, args := range changes {
		for how, set := range map[string]func(*files.Workspace){"unnamed": func(*files.Workspace) {}, "named": (*files.Workspace).WithoutUnnamedFiles} {
			dir := t.TempDir()
			put(t, dir, map[string]string{"f": "old"})
			path := filepath.Join(dir, "f")
			if os.Geteuid() == 0 {
				if err := os.Chown(path, 1234, 2345); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Chmod(path, 0o640); err != nil {
				t.Fatal(err)
			}
			attributes := map[string][]byte{"user.note": []byte("kept"), "user.long": bytes.Repeat([]byte("x"), 3000), "system.posix_acl_access": accessList}
			for name, value := range attributes {
				if err := unix.Setxattr(path, name, value, 0); errors.Is(err, unix.ENOTSUP) {
					delete(attributes, name) // a file system without them
				} else if err != nil {
					t.Fatal(err)
				}
			}
			was := statFile(t, path)
			w := openWorkspace(t, dir)
			set(w)
			if r := invoke(t, w, tool, args); r.ExitCode != 0 {
				t.Fatal(r.Output)
			}
			now := statFile(t, path)
			if now.Uid != was.Uid || now.Gid != was.Gid || now.Mode != was.Mode || now.Ino == was.Ino {
				t.Errorf("%s, %s: owner %d:%d mode %o, was %d:%d %o", tool, how, now.Uid, now.Gid, now.Mode, was.Uid, was.Gid, was.Mode)
			}
			for name, want := range attributes {
				value := make([]byte, 4000)
				n, err := unix.Getxattr(path, name, value)
				if err != nil || !bytes.Equal(value[:max(n, 0)], want) {
					t.Errorf("%s, %s: %s is %q, %v", tool, how, name, value[:max(n, 0)], err)
				}
			}
		}
	}
}

// TestNewContentGetsNoRights: a program that ran as its owner does not do so with
// what a script wrote.
func TestNewContentGetsNoRights(t *testing.T) {
	t.Parallel()
	for tool, args := range changes {
		dir := t.TempDir()
		put(t, dir, map[string]string{"f": "old"})
		path := filepath.Join(dir, "f")
		if err := unix.Chmod(path, 0o6755); err != nil {
			t.Fatal(err)
		}
		if r := invoke(t, openWorkspace(t, dir), tool, args); r.ExitCode != 0 {
			t.Fatal(r.Output)
		}
		if now := statFile(t, path); now.Mode&0o7777 != 0o755 {
			t.Errorf("%s: the mode is %o", tool, now.Mode)
		}
	}
}

// TestOtherNamesOfAFileKeepTheOldContent: a hard link can lie outside.
func TestOtherNamesOfAFileKeepTheOldContent(t *testing.T) {
	t.Parallel()
	for tool, args := range changes {
		p := workspace(t, map[string]string{"f": "old"})
		outside := filepath.Join(filepath.Dir(p.dir), "outside")
		if err := os.Link(filepath.Join(p.dir, "f"), outside); err != nil {
			t.Fatal(err)
		}
		if r := p.call(t, tool, args); r.ExitCode != 0 || p.text(t, "f") != "new" {
			t.Errorf("%s: %+v", tool, r)
		}
		if text, err := os.ReadFile(outside); err != nil || string(text) != "old" {
			t.Errorf("%s: the other name has %q, %v", tool, text, err)
		}
	}
}

// TestNewFilesAreAsTheirFolderSays: a group that a folder passes on, and its
// default access list.
func TestNewFilesAreAsTheirFolderSays(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder to another group") // CI is root, and fails when anything was skipped
	}
	dir := t.TempDir()
	if err := errors.Join(os.Chown(dir, 0, 2345), unix.Chmod(dir, 0o2775)); err != nil {
		t.Fatal(err)
	}
	w := openWorkspace(t, dir)
	if r := invoke(t, w, "write", map[string]any{"file_path": "f", "content": "x"}); r.ExitCode != 0 {
		t.Fatal(r.Output)
	}
	if now := statFile(t, filepath.Join(dir, "f")); now.Gid != 2345 || now.Mode&0o777 != 0o644 {
		t.Errorf("group %d, mode %o", now.Gid, now.Mode)
	}
}

// TestOrdinaryUsersWriteWhereTheyMay: into a folder below one that is not theirs,
// over a file of somebody else's, whose group gets no more than everybody had.
func TestOrdinaryUsersWriteWhereTheyMay(t *testing.T) {
	t.Parallel()
	p := workspace(t, map[string]string{"open/f": "old", "mine/f": "old", "closed/f": "old"})
	at := func(name string) string { return filepath.Join(p.dir, name) }
	asUser(t, 3000, 3000, func() {})
	err := errors.Join(os.Chmod(at("open"), 0o777), os.Chown(at("open/f"), 1000, 2000), os.Chmod(at("open/f"), 0o664), os.Chown(at("mine"), 3000, 3000), os.Chown(at("mine/f"), 3000, 3000))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{filepath.Dir(filepath.Dir(p.dir)), filepath.Dir(p.dir)} {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w := openWorkspace(t, p.dir)
	named := openWorkspace(t, p.dir)
	named.WithoutUnnamedFiles()
	asUser(t, 3000, 3000, func() {
		for _, w := range []*files.Workspace{w, named} {
			for _, name := range []string{"open/f", "mine/f", "mine/new"} {
				if r := invoke(t, w, "write", map[string]any{"file_path": name, "content": "new"}); r.ExitCode != 0 {
					t.Errorf("%s: %s", name, r.Output)
				}
			}
			for _, name := range []string{"closed/f", "closed/new", "new", "closed/sub/new"} {
				if r := invoke(t, w, "write", map[string]any{"file_path": name, "content": "new"}); r.ExitCode == 0 {
					t.Errorf("%s was written", name)
				}
			}
		}
	})
	if now := statFile(t, at("open/f")); now.Uid != 3000 || now.Mode&0o777 != 0o644 {
		t.Errorf("owner %d, mode %o", now.Uid, now.Mode)
	}
	if left := leftovers(t, p.dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
