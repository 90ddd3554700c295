package sandbox_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"golang.org/x/sys/unix"
)

// TestMemoryOfAllCommandsTogether: a control group bounds memory that no process owns, the
// command that it ended says so, and the next one works. Without a group, the measures do not
// claim it.
func TestMemoryOfAllCommandsTogether(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	box := open(t, sandbox.Policy{Workspace: dir, Limits: sandbox.Limits{MemoryBytes: 1 << 30}})
	at := slices.IndexFunc(box.Measures(), func(m hostapi.Measure) bool { return m.Name == "resources" })
	if at < 0 {
		t.Fatal("nothing is said of resources")
	}
	bounded := strings.Contains(box.Measures()[at].By, "a control group for the memory of all")
	if os.Geteuid() == 0 && !bounded {
		if info, err := os.Stat("/sys/fs/cgroup/memory/cgroup.procs"); err == nil && info.Mode()&0o200 != 0 {
			t.Error("root has control groups here, and the box has none")
		}
	}
	if err := errors.Join(unix.Mkfifo(filepath.Join(dir, "a"), 0o600), unix.Mkfifo(filepath.Join(dir, "b"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		// Each stays below the limit of a process, and holds its memory until
		// somebody reads.
		p, read := begin(t, box, dir, "sleep 2 <>a & sleep 2 <>b & "+
			"dd if=/dev/zero bs=700M count=1 >a & a=$!; dd if=/dev/zero bs=700M count=1 >b & b=$!; wait $a || exit 8; wait $b || exit 9")
		<-p.Exited()
		p.End(100 * time.Millisecond)
		code, signal := p.Status()
		if failed := code != 0; failed && p.OOMKilled() != bounded || bounded && !failed {
			t.Errorf("bounded %t: %d %s %t %q", bounded, code, signal, p.OOMKilled(), read())
		}
		if got := line(t, box, dir, "echo fine"); got.code != 0 || got.out != "fine\n" {
			t.Errorf("the next command: %+v", got)
		}
	}
	p, _ := begin(t, box, dir, "exit 3")
	<-p.Exited()
	p.End(0)
	if p.OOMKilled() {
		t.Error("a command that failed by itself is told that memory ran out")
	}
	box.Close()
	for _, parent := range sandbox.ControlGroupParents() {
		if left, _ := filepath.Glob(filepath.Join(parent, fmt.Sprintf("scriptrun-%d-*", os.Getpid()))); len(left) > 0 && !othersOpen(left) {
			t.Errorf("left behind: %q", left)
		}
	}
}

// othersOpen reports whether each group holds a process: then it belongs to a box of another
// test.
func othersOpen(groups []string) bool {
	for _, dir := range groups {
		deadline := time.Now().Add(5 * time.Second)
		for { // one that was just made, or is just removed, holds none
			text, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
			if err != nil || len(text) > 0 {
				break
			}
			if time.Now().After(deadline) {
				return false
			}
			time.Sleep(time.Millisecond) // the kernel tells nobody of it
		}
	}
	return true
}

// TestKilledHostsGroupsAreSwept: the next host removes the groups that a killed host left, and
// nothing else.
func TestKilledHostsGroupsAreSwept(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	dead := filepath.Join(parent, fmt.Sprintf("scriptrun-%d-ABC", 1<<30))
	mine := filepath.Join(parent, fmt.Sprintf("scriptrun-%d-ABC", os.Getpid()))
	other := filepath.Join(parent, "scriptrun-service")
	for _, dir := range []string{dead, mine, other} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	sandbox.SweepControlGroups(parent)
	for dir, stays := range map[string]bool{dead: false, mine: true, other: true} {
		if _, err := os.Stat(dir); (err == nil) != stays {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

// TestHierarchiesAreFound reads files of several kinds of machines.
func TestHierarchiesAreFound(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, dir := range []string{"v2/user.slice/app.slice/vte.scope", "v2/part", "memory/job", "pids"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	v2 := "30 20 0:26 / " + root + "/v2 rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
	v1 := "31 20 0:27 / " + root + "/memory rw - cgroup cgroup rw,memory\n32 20 0:28 / " + root + "/pids rw - cgroup cgroup rw,cpu,pids\n"
	for name, c := range map[string]struct {
		groups, mounts string
		want           []string
	}{
		"version 2, in a session":     {"0::/user.slice/app.slice/vte.scope\n", v2, []string{"v2/user.slice/app.slice", "v2/user.slice/app.slice/vte.scope"}},
		"version 2, in a container":   {"0::/\n", v2, []string{"v2"}},
		"a part of it is mounted":     {"0::/elsewhere/part\n", strings.Replace(v2, " / ", " /elsewhere ", 1), []string{"v2", "v2/part"}},
		"another part is mounted":     {"0::/here\n", strings.Replace(v2, " / ", " /elsewhere ", 1), nil},
		"version 1":                   {"4:memory:/job\n3:cpuset:/x\n8:pids:/\n0::/\n", v1, []string{"memory/job", "pids"}},
		"a group that is not visible": {"4:memory:/gone\n", v1, nil},
		"nothing is mounted":          {"0::/\n", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for file, text := range map[string]string{"cgroup": c.groups, "mountinfo": c.mounts} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var got []string
			for _, path := range sandbox.ParentsOfControlGroups(filepath.Join(dir, "cgroup"), filepath.Join(dir, "mountinfo")) {
				below, _ := filepath.Rel(root, path)
				got = append(got, below)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q; expected %q", got, c.want)
			}
		})
	}
}
