package sandbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// etc is set, to a folder that is to be /etc, in a copy of this program with
// mounts of its own.
const etc = "SANDBOX_TEST_ETC"

// TestEtcReplacedMeanwhile: no command reads files in /etc that only root may read, also if
// they appear while it runs.
func TestEtcReplacedMeanwhile(t *testing.T) { //nolint:paralleltest // with the variable it changes what all see
	if os.Getenv(etc) != "" {
		replaceInEtc(t, os.Getenv(etc))
		return
	}
	if os.Geteuid() != 0 {
		return // the system keeps it from who is not root
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // as /etc is
		t.Fatal(err)
	}
	for _, name := range []string{"passwd", "group", "nsswitch.conf", "ld.so.cache"} {
		if text, err := os.ReadFile(filepath.Join("/etc", name)); err == nil {
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil { //nolint:gosec // as there
				t.Fatal(err)
			}
		}
	}
	cmd := exec.Command("/proc/self/exe", "-test.v", "-test.run", "^TestEtcReplacedMeanwhile$")
	cmd.Env = append(os.Environ(), etc+"="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestEtcReplacedMeanwhile") {
		t.Errorf("%v\n%s", err, out)
	}
}

func replaceInEtc(t *testing.T, dir string) {
	for _, m := range []struct {
		from  string
		flags uintptr
	}{{"", syscall.MS_REC | syscall.MS_PRIVATE}, {dir, syscall.MS_BIND}} {
		to := "/"
		if m.from != "" {
			to = "/etc"
		}
		if err := syscall.Mount(m.from, to, "", m.flags, ""); err != nil {
			t.Fatal(err)
		}
	}
	write := func(name string, mode os.FileMode) error {
		if err := os.WriteFile("/etc/new", []byte("secret "+name+"\n"), mode); err != nil {
			return err
		}
		return os.Rename("/etc/new", "/etc/"+name)
	}
	if err := write("key", 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("/etc/there", 0o755); err != nil { //nolint:gosec // it is open to all
		t.Fatal(err)
	}
	if err := os.WriteFile("/etc/plain", []byte("plain\n"), 0o644); err != nil { //nolint:gosec // anybody may
		t.Fatal(err)
	}
	for name, open := range openers() {
		if name == "none" {
			continue // nothing is promised
		}
		work := t.TempDir()
		box, err := open(sandbox.Policy{Workspace: work, Path: "/usr/bin:/bin"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(box.Close)
		if got := line(t, box, work, "cat /etc/plain"); got.out != "plain\n" {
			t.Errorf("%s: %+v", name, got)
		}
		command := ask(t, box, work, "/etc/key", "/etc/later", "/etc/sub/key", "/etc/there/key", "/etc/closed/key", "/etc/group2")
		for _, change := range []struct {
			name string
			do   func() error
		}{
			{"nothing", func() error { return nil }},
			{"replaced", func() error { return write("key", 0o600) }},
			{"made", func() error { return write("later", 0o600) }},
			{"made for a group", func() error { return write("group2", 0o640) }},
			{"in a folder", func() error { return write("there/key", 0o600) }},
			{"in a new folder", func() error {
				if err := os.MkdirAll("/etc/sub", 0o755); err != nil { //nolint:gosec // it is open to all
					return err
				}
				return write("sub/key", 0o600)
			}},
			{"in a closed folder", func() error {
				if err := os.MkdirAll("/etc/closed", 0o700); err != nil {
					return err
				}
				return write("closed/key", 0o644)
			}},
		} {
			if err := change.do(); err != nil {
				t.Fatal(err)
			}
			if got := command.seen(t); got != "" {
				t.Errorf("%s: %s: still seen: %s", name, change.name, got)
			}
		}
	}
}
