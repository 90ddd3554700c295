//go:build unix

package regular_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/regular"
)

// TestOpenAndListNeverWait: a pipe that nobody writes to is neither a file nor a
// folder, and is told of at once.
func TestOpenAndListNeverWait(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "p")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	var shape *regular.ShapeError
	if _, err := regular.Open(pipe); !errors.As(err, &shape) {
		t.Errorf("opened: %v", err)
	}
	root, err := os.OpenRoot(filepath.Dir(pipe))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if _, err := regular.OpenIn(root, "p"); !errors.As(err, &shape) {
		t.Errorf("opened in a root: %v", err)
	}
	if _, whole, err := regular.List(pipe, 10); err == nil || whole {
		t.Errorf("listed: %t, %v", whole, err)
	}
}

// TestListIsBounded: no more entries than asked for, and whether there are more.
func TestListIsBounded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 5 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for most, want := range map[int]struct {
		n     int
		whole bool
	}{0: {0, false}, 4: {4, false}, 5: {5, true}, 6: {5, true}} {
		entries, whole, err := regular.List(dir, most)
		if err != nil || len(entries) != want.n || whole != want.whole {
			t.Errorf("most %d: %d entries, whole %t, %v", most, len(entries), whole, err)
		}
	}
}
