//go:build unix

package regular_test

import (
	"bytes"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/regular"
)

const most = 1000

// within fails the test when f does not end: none of these reads waits.
func within(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatalf("%s: it waits", what)
	}
}

func TestOnlyRegularFilesAreRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(os.Mkdir(at("folder"), 0o700))
	check(syscall.Mkfifo(at("pipe"), 0o600))
	check(os.WriteFile(at("whole"), bytes.Repeat([]byte("x"), most), 0o600))
	check(os.WriteFile(at("more"), bytes.Repeat([]byte("x"), most+1), 0o600))
	check(os.WriteFile(at("none"), nil, 0o600))
	check(os.WriteFile(at("huge"), nil, 0o600))
	check(os.Truncate(at("huge"), 1<<40))
	for _, name := range []string{"folder", "pipe", "whole", "more", "huge", "gone"} {
		check(os.Symlink(name, at("to-"+name)))
	}
	check(os.Symlink("/dev/zero", at("to-zero")))
	check(os.Symlink("to-self", at("to-self")))
	short, err := os.MkdirTemp("", "s") // the name of a socket is short
	check(err)
	defer os.RemoveAll(short)
	listener, err := net.Listen("unix", filepath.Join(short, "socket"))
	check(err)
	defer listener.Close()
	check(os.Symlink(filepath.Join(short, "socket"), at("to-socket")))
	root, err := os.OpenRoot(dir)
	check(err)
	defer root.Close()

	for _, c := range []struct {
		name  string
		shape fs.FileMode // of the ShapeError
		says  string      // empty: it is read
		bytes int
	}{
		{"whole", 0, "", most},
		{"none", 0, "", 0},
		{"to-whole", 0, "", most},
		{"more", 0, "at most 1000 bytes", 0},
		{"to-more", 0, "at most 1000 bytes", 0},
		{"huge", 0, "at most 1000 bytes", 0},
		{"to-huge", 0, "at most 1000 bytes", 0},
		{"folder", fs.ModeDir, "this is a directory, not a file", 0},
		{"to-folder", fs.ModeDir, "this is a directory, not a file", 0},
		{"pipe", fs.ModeNamedPipe, "this is a named pipe", 0},
		{"to-pipe", fs.ModeNamedPipe, "this is a named pipe", 0},
		{"to-zero", fs.ModeDevice | fs.ModeCharDevice, "this is a device", 0},
		{"to-socket", fs.ModeSocket, "this is a socket", 0},
		{"gone", 0, "no such file", 0},
		{"to-gone", 0, "no such file", 0},
		{"to-self", 0, "too many levels", 0},
	} {
		for _, way := range []struct {
			name string
			read func() ([]byte, error)
		}{
			{"Read", func() ([]byte, error) { return regular.Read(at(c.name), most) }},
			{"ReadIn", func() ([]byte, error) { return regular.ReadIn(root, c.name, most) }},
		} {
			within(t, c.name, func() {
				text, err := way.read()
				if way.name == "ReadIn" && (c.name == "to-zero" || c.name == "to-socket" || c.name == "to-self") {
					if err == nil || text != nil { // the words are those of os.Root
						t.Errorf("%s %s: got %d bytes", way.name, c.name, len(text))
					}
					return
				}
				if c.says == "" {
					if err != nil || len(text) != c.bytes {
						t.Errorf("%s %s: got %d bytes, %v", way.name, c.name, len(text), err)
					}
					return
				}
				if err == nil || !strings.Contains(err.Error(), c.says) {
					t.Errorf("%s %s: got %d bytes, %v; want %q", way.name, c.name, len(text), err, c.says)
				}
				var shape *regular.ShapeError
				if errors.As(err, &shape) && (shape.Most != most || c.shape != 0 && shape.Mode.Type() != c.shape) || c.shape != 0 && shape == nil {
					t.Errorf("%s %s: got %+v", way.name, c.name, shape)
				}
			})
		}
	}
}

// A file can say that it is regular and empty, and go on without end, or give
// nothing: those of the kernel do.
func TestSizeIsNotBelieved(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"/proc/self/maps", "/proc/kmsg", "/sys/kernel/tracing/trace_pipe"} {
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() || info.Size() != 0 {
			continue
		}
		within(t, name, func() {
			if text, err := regular.Read(name, 10); err == nil {
				t.Errorf("%s: got %q", name, text)
			}
		})
	}
}
