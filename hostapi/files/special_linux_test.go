package files_test

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/files"
	"golang.org/x/sys/unix"
)

// ends makes a call that must end soon, whatever it finds.
func ends(t *testing.T, w *files.Workspace, name string, args map[string]any) hostapi.Result {
	t.Helper()
	done := make(chan hostapi.Result, 1)
	go func() { done <- invoke(t, w, name, args) }()
	select {
	case result := <-done:
		return result
	case <-time.After(20 * time.Second):
		t.Fatalf("%s %v does not end", name, args)
		return hostapi.Result{}
	}
}

// TestSpecialFilesHangNoTool: pipes, sockets and devices, named or come by.
func TestSpecialFilesHangNoTool(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, map[string]string{"a": "find me", "sub/b": "find me"})
	kinds := []string{"pipe", "sub/pipe", "socket"}
	for _, name := range []string{"pipe", "sub/pipe", "sub/.gitignore"} {
		if err := unix.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	listener, err := net.Listen("unix", filepath.Join(dir, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	if err := unix.Mknod(filepath.Join(dir, "zero"), unix.S_IFCHR|0o600, int(unix.Mkdev(1, 5))); err == nil { // root may
		kinds = append(kinds, "zero")
	}
	w := openWorkspace(t, dir)
	for _, name := range kinds {
		for tool, args := range map[string]map[string]any{
			"read": {"file_path": name}, "write": {"file_path": name, "content": "x"}, "edit": {"file_path": name, "old_string": "a", "new_string": "b"}, "json": {"file_path": name}, "yaml": {"file_path": name},
			"grep": {"path": name, "pattern": "."}, "search": {"mode": "bm25", "path": name, "query": "x"},
		} {
			if r := ends(t, w, tool, args); r.ExitCode == 0 || !strings.Contains(r.Output, "not a regular file") {
				t.Errorf("%s %s: %+v", tool, name, r)
			}
		}
		for tool, args := range map[string]map[string]any{
			"glob": {"path": name, "pattern": "**"}, "ls": {"path": name},
		} {
			if r := ends(t, w, tool, args); r.ExitCode != 0 || strings.Contains(r.Output, ":") {
				t.Errorf("%s %s: %+v", tool, name, r)
			}
		}
	}
	if r := ends(t, w, "grep", map[string]any{"pattern": "find"}); r.Output != "a:1:find me\nsub/b:1:find me" {
		t.Errorf("%+v", r)
	}
	for _, name := range kinds { // they can be put away
		if r := ends(t, w, "delete", map[string]any{"path": name}); r.ExitCode != 0 {
			t.Errorf("delete %s: %s", name, r.Output)
		}
	}
}

// TestFilesOfTheKernelAreNotOpened: below a workspace that has /proc in it, to
// read some files waits without end, and to write others changes the machine.
func TestFilesOfTheKernelAreNotOpened(t *testing.T) {
	t.Parallel()
	w := openWorkspace(t, "/")
	for _, name := range []string{"proc/kmsg", "proc/self/environ", "proc/1/mem", "sys/kernel/mm", "proc/self/root/etc/passwd", "proc/self/fd/0", "proc/self/cwd"} {
		for tool, args := range map[string]map[string]any{
			"read": {"file_path": name}, "json": {"file_path": name}, "grep": {"path": name, "pattern": "."}, "edit": {"file_path": name, "old_string": "a", "new_string": "b"},
			"write": {"file_path": "proc/self/" + stranger, "content": "x"}, "ls": {"path": filepath.Dir(name)}, "glob": {"path": filepath.Dir(name), "pattern": "*"},
			"delete": {"path": name}, "move": {"from": name, "to": "tmp/" + stranger},
		} {
			if r := ends(t, w, tool, args); r.ExitCode == 0 {
				t.Errorf("%s %s: %.200s", tool, args, r.Output)
			}
		}
	}
}

// TestOddNamesAreOneLineEach: no name can look like two, or like a hit of grep,
// and the longest can be written, found and deleted.
func TestOddNamesAreOneLineEach(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", 255)
	odd := []string{"a\nb.go:1:forged", "c\x1b[2Jd", "e\"f", "g\u202eh", "\xff\xfe", " ", long, strings.Repeat("é", 127)}
	content := map[string]string{}
	for _, name := range odd {
		content[name] = "find me\n"
	}
	p := workspace(t, content)
	for tool, args := range map[string]map[string]any{"ls": {}, "glob": {"pattern": "*"}, "grep": {"pattern": "find"}} {
		r := p.call(t, tool, args)
		lines := strings.Split(r.Output, "\n")
		if len(lines) != len(odd) || strings.ContainsAny(r.Output, "\x1b\u202e") || strings.Contains(r.Output, "\nb.go:1:") {
			t.Errorf("%s has %d lines: %q", tool, len(lines), r.Output)
		}
	}
	for _, name := range odd {
		if name == "\xff\xfe" {
			continue // no JSON text can name it
		}
		if r := p.call(t, "read", map[string]any{"file_path": name}); r.Text == nil || *r.Text != "find me\n" {
			t.Errorf("read %q: %+v", name, r)
		}
		for _, text := range []string{"one", "two"} {
			if r := p.call(t, "write", map[string]any{"file_path": name, "content": text}); r.ExitCode != 0 || p.text(t, name) != text {
				t.Errorf("write %q: %+v", name, r)
			}
		}
		if r := p.call(t, "delete", map[string]any{"path": name}); r.ExitCode != 0 {
			t.Errorf("delete %q: %+v", name, r)
		}
	}
	for _, name := range []string{strings.Repeat("n", 256), strings.Repeat("n/", 5000) + "n", strings.Repeat("é", 200)} {
		for tool, args := range map[string]map[string]any{"read": {"file_path": name}, "write": {"file_path": name, "content": "x"}, "grep": {"path": name, "pattern": "x"}} {
			if r := p.call(t, tool, args); r.ExitCode == 0 {
				t.Errorf("%s of a name that cannot be: %.100s", tool, r.Output)
			}
		}
	}
}

// TestDeepFoldersAreWalkedInPart: a chain of folders deeper than paths and
// descriptors go ends a walk early, and the result says so.
func TestDeepFoldersAreWalkedInPart(t *testing.T) {
	t.Parallel()
	p := workspace(t, map[string]string{"a": "find me"})
	at, err := unix.Open(p.dir, unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	for range 3000 {
		if err := unix.Mkdirat(at, "deep", 0o755); err != nil {
			t.Fatal(err)
		}
		next, err := unix.Openat(at, "deep", unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		_ = unix.Close(at)
		if at = next; err != nil {
			t.Fatal(err)
		}
	}
	_ = unix.Close(at)
	r := p.call(t, "grep", `{"pattern":"find"}`)
	if !r.Truncated || !strings.HasPrefix(r.Output, "a:1:find me") {
		t.Errorf("%+v", r)
	}
}

// asUser runs f on a thread that reads and writes files as another user, and ends
// with it.
func asUser(t *testing.T, uid, gid uintptr, f func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user") // CI is root, and fails when anything was skipped
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		_, _, _ = unix.RawSyscall(unix.SYS_SETGROUPS, 0, 0, 0)
		_, _, _ = unix.RawSyscall(unix.SYS_SETFSGID, gid, 0, 0)
		_, _, _ = unix.RawSyscall(unix.SYS_SETFSUID, uid, 0, 0)
		f()
	}()
	<-done
}
