package sandbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"golang.org/x/sys/unix"
)

// machine is set, to a folder, in a copy of this program with mounts of its own.
const machine = "SANDBOX_TEST_MACHINE"

// TestTheMachineIsNotWrittenWhereItIsMounted: settings of the machine and its devices cannot be
// written in a workspace in which somebody mounted or made them.
func TestTheMachineIsNotWrittenWhereItIsMounted(t *testing.T) { //nolint:paralleltest // with the variable it changes what all see
	if os.Getenv(machine) != "" {
		tryTheMachine(t, os.Getenv(machine))
		return
	}
	if os.Geteuid() != 0 {
		return // the system keeps it from who is not root
	}
	cmd := exec.Command("/proc/self/exe", "-test.v", "-test.run", "^TestTheMachineIsNotWrittenWhereItIsMounted$")
	cmd.Env = append(os.Environ(), machine+"="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestTheMachineIsNotWritten") {
		t.Errorf("%v\n%s", err, out)
	}
}

func tryTheMachine(t *testing.T, dir string) {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"proc", "sysfs", "devtmpfs", "cgroup2"} {
		at := filepath.Join(dir, "root folder", kind)
		if err := os.MkdirAll(at, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := unix.Mount(kind, at, kind, 0, ""); err != nil {
			t.Logf("%s: %v", kind, err) // a container may not; the others are tried
		}
	}
	if err := unix.Mknod(filepath.Join(dir, "device"), unix.S_IFCHR|0o600, int(unix.Mkdev(1, 7))); err != nil { // it is full
		t.Log(err)
	}
	const files = "device root?folder/proc/sys/kernel/core_pattern root?folder/sysfs/kernel/uevent_helper root?folder/devtmpfs/full root?folder/devtmpfs/new root?folder/cgroup2/cgroup.procs"
	for name, policy := range map[string]sandbox.Policy{"workspace": {Workspace: dir}, "write": {Workspace: t.TempDir(), Write: []string{dir}}, "read": {Workspace: t.TempDir(), Read: []string{dir}}} {
		policy.Path = "/usr/bin:/bin"
		box := open(t, policy)
		if !whole(t, box) {
			return
		}
		if got := line(t, box, policy.Workspace, "cd "+dir+" && for file in "+files+"; do (: >> $file) 2> /dev/null && echo wrote $file; done; echo tried"); got.out != "tried\n" {
			t.Errorf("%s: %+v", name, got)
		}
		if got := line(t, box, policy.Workspace, "ls -d "+dir+"/root?folder/proc/[0-9]* | wc -l"); len(got.out) != len("3\n") {
			t.Errorf("%s: processes of others are seen: %+v", name, got)
		}
	}
}
