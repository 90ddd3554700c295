package files_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// inMounts runs f on a thread with mounts of its own, which end with it.
func inMounts(t *testing.T, f func()) {
	t.Helper()
	failed := make(chan error, 1)
	go func() {
		defer close(failed)
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
			failed <- fmt.Errorf("mounts of one's own: %w", err)
			return
		}
		if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
			failed <- fmt.Errorf("private mounts: %w", err)
			return
		}
		f()
	}()
	if err := <-failed; err != nil {
		t.Skip(err) // only root can mount; CI is root, and fails when anything was skipped
	}
}

// TestMountsAreAPartOfTheWorkspace: another file system and a folder that is
// mounted twice are read and written like the rest; what cannot be moved there says
// so; and what is the kernel's is not opened.
func TestMountsAreAPartOfTheWorkspace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, map[string]string{"ws/f": "old", "away/f": "old", "ws/memory/.keep": "", "ws/bound/.keep": "", "ws/kernel/.keep": ""})
	at := func(name string) string { return filepath.Join(dir, "ws", name) }
	inMounts(t, func() {
		for _, err := range []error{
			unix.Mount("tmpfs", at("memory"), "tmpfs", 0, ""), unix.Mount(filepath.Join(dir, "away"), at("bound"), "", unix.MS_BIND, ""), unix.Mount("proc", at("kernel"), "proc", 0, ""),
		} {
			if err != nil {
				t.Error(err)
				return
			}
		}
		for _, named := range []bool{false, true} {
			w := openWorkspace(t, filepath.Join(dir, "ws"))
			if named {
				w.WithoutUnnamedFiles()
			}
			for _, name := range []string{"memory/f", "bound/f", "memory/sub/f", "bound/sub/f"} {
				for _, text := range []string{"old", "new"} {
					if r := invoke(t, w, "write", map[string]any{"file_path": name, "content": text}); r.ExitCode != 0 {
						t.Errorf("write %s: %s", name, r.Output)
					}
				}
				if r := invoke(t, w, "edit", map[string]any{"file_path": name, "old_string": "new", "new_string": "newer"}); r.ExitCode != 0 {
					t.Errorf("edit %s: %s", name, r.Output)
				}
				if r := invoke(t, w, "read", map[string]any{"file_path": name}); r.Text == nil || *r.Text != "newer" {
					t.Errorf("read %s: %+v", name, r)
				}
				for tool, args := range map[string]map[string]any{"delete": {"path": name}, "move": {"from": name, "to": "moved"}} {
					if r := invoke(t, w, tool, args); r.ExitCode == 0 || !strings.Contains(r.Output, "is on another file system") {
						t.Errorf("%s %s: %+v", tool, name, r)
					}
				}
			}
			if r := invoke(t, w, "grep", map[string]any{"pattern": "newer"}); strings.Count(r.Output, "newer") != 4 {
				t.Errorf("grep: %+v", r)
			}
			if r := invoke(t, w, "read", map[string]any{"file_path": "kernel/version"}); r.ExitCode == 0 || !strings.Contains(r.Output, "file system of the kernel's") {
				t.Errorf("/proc: %+v", r)
			}
		}
		if left := leftovers(t, at("memory")); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
	if left := leftovers(t, dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "away", "f")); err != nil || string(text) != "newer" {
		t.Errorf("what is mounted twice is %q, %v", text, err)
	}
}
