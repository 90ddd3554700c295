package audit_test

import (
	"errors"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/runtime/audit"
	"golang.org/x/sys/unix"
)

// TestAFullDisk: with require nothing runs, and without it everything does.
func TestAFullDisk(t *testing.T) {
	t.Parallel()
	for _, require := range []bool{true, false} {
		var failed []error
		log := audit.New(audit.Options{To: audit.File("/dev/full"), Require: require, Failed: func(err error) { failed = append(failed, err) }})
		report := audited(t, log, "return 1")
		if want := map[bool]runtime.Outcome{true: runtime.OutcomeCancelled, false: runtime.OutcomeOK}[require]; report.Outcome != want {
			t.Errorf("require %t: %s", require, report)
		}
		if len(failed) == 0 || !errors.Is(failed[0], syscall.ENOSPC) {
			t.Errorf("told %v", failed)
		}
	}
}

// TestFilesThatAreNone: a link is not followed, nothing is waited for, and what is made is
// its owner's alone.
func TestFilesThatAreNone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	good, link, pipe := filepath.Join(dir, "a", "b", "audit.jsonl"), filepath.Join(dir, "link"), filepath.Join(dir, "pipe")
	if err := errors.Join(os.Symlink(good, link), syscall.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	reader, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	for _, path := range []string{link, pipe, dir} {
		if err := audit.File(path)(t.Context(), lineOf(t, audit.Entry{})); err == nil {
			t.Errorf("%s was written", path)
		}
	}
	if err := audit.File(good)(t.Context(), lineOf(t, audit.Entry{})); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{good: 0o600, filepath.Dir(good): 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}

// TestALineThatWasCutStandsAlone, whichever process wrote it, but not one that may still be
// written.
func TestALineThatWasCutStandsAlone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		written time.Time
		between string
	}{{time.Unix(1, 0), "\n"}, {time.Now().Add(time.Hour), ""}} {
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		if err := os.WriteFile(path, []byte("{\"whole\":1}\n{\"cut\":"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, c.written, c.written); err != nil {
			t.Fatal(err)
		}
		line, sink := lineOf(t, audit.Entry{}), audit.File(path)
		for range 2 {
			if err := sink(t.Context(), line); err != nil {
				t.Fatal(err)
			}
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != "{\"whole\":1}\n{\"cut\":"+c.between+string(line)+string(line) {
			t.Errorf("%q, %v", text, err)
		}
	}
}

// TestAFolderThatWasShut: lines go to the file that was opened before somebody took the rights
// on its folder, and again by its path when they are back.
func TestAFolderThatWasShut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "in", "audit.jsonl")
	sink, line := audit.File(path), lineOf(t, audit.Entry{})
	write := func() {
		t.Helper()
		if err := sink(t.Context(), line); err != nil {
			t.Error(err)
		}
	}
	write()
	asOrdinaryUser(t, dir, func() {
		if err := os.Chmod(filepath.Dir(path), 0); err != nil {
			t.Error(err)
		}
		write()
		if err := audit.File(path)(t.Context(), line); err == nil {
			t.Error("the folder is open")
		}
		if err := os.Chmod(filepath.Dir(path), 0o700); err != nil { //nolint:gosec // a folder
			t.Error(err)
		}
		write()
		if text, err := os.ReadFile(path); err != nil || string(text) != strings.Repeat(string(line), 3) {
			t.Errorf("%q, %v", text, err)
		}
		if err := errors.Join(os.Rename(path, path+".1"), sink(t.Context(), line)); err != nil {
			t.Error(err)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != string(line) {
			t.Errorf("after it was moved away: %q, %v", text, err)
		}
	})
}

// asOrdinaryUser does something as a user without rights, who owns a folder and all in it.
func asOrdinaryUser(t *testing.T, dir string, do func()) {
	t.Helper()
	if os.Geteuid() != 0 { // this is one
		do()
		return
	}
	const nobody = 65534
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil { //nolint:gosec // somebody else looks
		t.Fatal(err)
	}
	if err := filepath.WalkDir(dir, func(at string, _ os.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(at, nobody, nobody))
	}); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		defer close(done)
		goruntime.LockOSThread() // and never unlocked, so that nobody has the thread after it
		if _, err := unix.SetfsuidRetUid(nobody); err != nil {
			done <- err
			return
		}
		do()
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}
