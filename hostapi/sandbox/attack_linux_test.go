package sandbox_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"golang.org/x/sys/unix"
)

// TestGrantsCannotBeReplaced: a workspace inside a folder that commands have of their own stays
// the same, whatever a command does to the names on its way.
func TestGrantsCannotBeReplaced(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"", "/var/tmp", "/dev/shm"} {
		dir, err := os.MkdirTemp(base, "granted-")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		workspace := filepath.Join(dir, "a", "ws")
		if err := os.MkdirAll(workspace, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(workspace, "check"), []byte("genuine\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		box := open(t, sandbox.Policy{Workspace: workspace, Profile: sandbox.ProfileReadOnly})
		if !whole(t, box) {
			return
		}
		for _, attack := range []string{
			"mv DIR /tmp/x; mkdir -p DIR/a/ws; echo forged > DIR/a/ws/check",
			"mv DIR/a DIR/b; mkdir -p DIR/a/ws; echo forged > DIR/a/ws/check",
			"rm -rf DIR; ln -s /tmp DIR; mkdir -p /tmp/a/ws; echo forged > /tmp/a/ws/check",
			"rmdir DIR/a/ws DIR/a DIR; chmod 000 DIR; cd /tmp; mkdir y; mv -T y DIR",
		} {
			line(t, box, workspace, strings.ReplaceAll(attack, "DIR", dir)+"; true")
			if got := line(t, box, workspace, "cat check "+workspace+"/check"); got.out != "genuine\ngenuine\n" {
				t.Errorf("in %q, after %s: %+v", base, attack, got)
			}
		}
	}
}

// TestCleaningFollowsNoLink: files that a command leaves do not lead the holder to another
// command's.
func TestCleaningFollowsNoLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	box := open(t, sandbox.Policy{Workspace: dir})
	if !whole(t, box) {
		return
	}
	top := "/tmp/" + strings.Split(dir, "/")[2]
	first, read := begin(t, box, dir, "touch /tmp/mine ready; while [ ! -e go ]; do sleep 0.01; done; ls /tmp/mine")
	line(t, box, dir, "while [ ! -e ready ]; do sleep 0.01; done; ln -s /tmp /tmp/all; ln -s .. /tmp/up; mv "+top+" /tmp/x; ln -s /tmp "+top+"; mkdir /tmp/d; chmod 000 /tmp/d")
	line(t, box, dir, "true")
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	<-first.Exited()
	first.End(0)
	if got := read(); got != "/tmp/mine\n" {
		t.Errorf("a command that still ran lost its files: %q", got)
	}
}

// TestDeepTreesAreRemoved: removing a tree costs as much as it has folders, however deep it is
// and whatever its modes.
func TestDeepTreesAreRemoved(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	at, err := unix.Open(top, unix.O_DIRECTORY|unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	for range 20000 {
		if err := unix.Mkdirat(at, "d", 0o700); err != nil {
			t.Fatal(err)
		}
		next, err := unix.Openat(at, "d", unix.O_DIRECTORY|unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		_ = unix.Close(at)
		at = next
	}
	_ = unix.Close(at)
	outside := filepath.Join(t.TempDir(), "kept")
	if err := os.Mkdir(outside, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, do := range map[string]func(path string) error{
		"locked": func(path string) error { return os.MkdirAll(path+"/in", 0o700) },
		"link":   func(path string) error { return os.Symlink(filepath.Dir(outside), path) },
		"keep":   func(path string) error { return os.Mkdir(path, 0o700) },
		"file":   func(path string) error { return os.WriteFile(path, nil, 0o000) },
	} {
		if err := do(filepath.Join(top, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(top, "locked"), 0); err != nil {
		t.Fatal(err)
	}
	sandbox.EmptyFolder(top, []string{"keep"})
	if left, err := os.ReadDir(top); err != nil || len(left) != 1 || left[0].Name() != "keep" {
		t.Errorf("left: %v, %v", left, err)
	}
	if _, err := os.Stat(outside); err != nil {
		t.Errorf("a link was followed: %v", err)
	}
}

// TestDevicesAndProcAreReadOnly: neither modes nor settings of the machine change, also without
// Landlock.
func TestDevicesAndProcAreReadOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	box := open(t, sandbox.Policy{Workspace: dir})
	if !whole(t, box) {
		return
	}
	before, err := os.Stat("/dev/full")
	if err != nil {
		t.Fatal(err)
	}
	got := line(t, box, dir, "chmod 640 /dev/full /dev/null 2>/dev/null; chown 65534 /dev/full 2>/dev/null; touch -d 2001-01-01 /dev/full 2>/dev/null; echo x > /dev/null && echo written; "+
		"grep -E '^[^ ]+ (/proc|/sys|/dev/full|/usr|/) ' /proc/mounts | grep -vc ' ro[, ]'")
	if got.out != "written\n0\n" {
		t.Errorf("%+v", got)
	}
	if after, err := os.Stat("/dev/full"); err != nil || after.Mode() != before.Mode() {
		t.Errorf("/dev/full is %v, %v", after.Mode(), err)
	}
}

// TestForkBomb: commands reach their limit, and others start after it.
func TestForkBomb(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	box := open(t, sandbox.Policy{Workspace: dir, Limits: sandbox.Limits{Processes: 60}})
	for _, m := range box.Measures() {
		if m.Name == "resources" && m.Gap != "" {
			t.Logf("the number of processes is not bounded here: %s", m.Gap)
			return
		}
	}
	for range 2 {
		got := line(t, box, dir, "ulimit -u 100000 2>/dev/null; i=0; while [ $i -lt 1500 ]; do sleep 100 & i=$((i+1)); done 2>/dev/null; echo all")
		if strings.Contains(got.out, "all") {
			t.Errorf("1500 processes: %+v", got)
		}
		if got := line(t, box, dir, "echo on"); got.out != "on\n" || !box.Alive() {
			t.Errorf("after it: %+v, alive %t", got, box.Alive())
		}
	}
}

// TestStartWaitsForWhatEnds: soon after the processes that filled a box were killed, the next
// command starts.
func TestStartWaitsForWhatEnds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	box := open(t, sandbox.Policy{Workspace: dir, Limits: sandbox.Limits{Processes: 30}})
	for _, m := range box.Measures() {
		if m.Name == "resources" && m.Gap != "" {
			t.Logf("the number of processes is not bounded here: %s", m.Gap)
			return
		}
	}
	for range 5 {
		first, _ := begin(t, box, dir, "i=0; while [ $i -lt 1500 ]; do sleep 100 & i=$((i+1)); done 2>/dev/null")
		<-first.Exited() // it could start no more
		var ending sync.WaitGroup
		ending.Go(func() { first.End(0) })
		if got := line(t, box, dir, "echo on"); got.out != "on\n" {
			t.Errorf("the next one: %+v", got)
		}
		ending.Wait()
	}
}

// TestSecretsStayHidden: secrets of a home folder in the workspace stay hidden, under the names
// that links give them too, and when a command moves their folders.
func TestSecretsStayHidden(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for name, text := range map[string]string{
		".ssh/id": "secret-ssh", "dot/aws/credentials": "secret-aws", ".config/gh/hosts.yml": "secret-gh", "notes": "notes", ".npmrc": "secret-npm",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(home, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{".aws": "dot/aws", ".kube": "/usr", ".docker": ".", ".gnupg": "nowhere", ".azure": ".azure"} {
		if err := os.Symlink(target, filepath.Join(home, name)); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // what the first does is there for the second
		box := open(t, sandbox.Policy{Workspace: home, Home: home, Path: os.Getenv("PATH")})
		if !whole(t, box) {
			return
		}
		got := line(t, box, home, "{ mv .config .c; mv .ssh s; mv dot d; rm -rf .npmrc; ln -s .config/gh .g; } 2>/dev/null; grep -rs secret . .aws/ .docker/; cat notes; ls /usr | grep -c bin")
		if strings.Contains(got.out, "secret") || !strings.HasPrefix(got.out, "notes") {
			t.Errorf("%+v", got)
		}
		box.Close()
	}
	for _, name := range []string{".ssh/id", "dot/aws/credentials", ".config/gh/hosts.yml", ".npmrc"} {
		if text, err := os.ReadFile(filepath.Join(home, name)); err != nil || !bytes.HasPrefix(text, []byte("secret")) {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

// TestEtcWithoutItsSecrets: root's commands cannot read files that not everybody may read.
func TestEtcWithoutItsSecrets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	box := open(t, sandbox.Policy{Workspace: dir})
	if !whole(t, box) {
		return
	}
	got := line(t, box, dir, "find /etc -type f ! -perm -o=r -size +0 2>/dev/null | while read -r f; do head -c 1 \"$f\" >/dev/null 2>&1 && echo \"$f\"; done; test -r /etc/passwd && echo passwd")
	if got.out != "passwd\n" {
		t.Errorf("%+v", got)
	}
}

// TestBytesThatAreNotText: paths, arguments and environments are bytes.
func TestBytesThatAreNotText(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "caf\xe9")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	box := open(t, sandbox.Policy{Workspace: dir})
	whole(t, box)
	if got := line(t, box, dir, "printf '%s' a\xffb; pwd > p; cat p"); got.out != "a\xffb"+dir+"\n" {
		t.Errorf("%+v", got)
	}
}

// hostDies is set in a copy of this program that starts a command and is killed.
const hostDies = "SANDBOX_TEST_HOST"

// TestHostDies: a host that is killed takes its holder and its commands along,
// also with the profile off, at whatever moment.
func TestHostDies(t *testing.T) {
	t.Parallel()
	if dir := os.Getenv(hostDies); dir != "" {
		profile := sandbox.Profile(os.Getenv("PROFILE"))
		box, err := sandbox.Open(sandbox.Policy{Workspace: dir, Profile: profile, Path: "/usr/bin:/bin"})
		if err != nil {
			t.Fatal(err)
		}
		for range 4 {
			if _, err := box.Start(&exec.Cmd{Path: "/bin/sh", Args: []string{"sh", "-c", "exec 9>>alive; flock -s 9; touch on; sleep 2000 & setsid sleep 2000 & exit 0"}, Dir: dir, Env: []string{"PATH=/usr/bin:/bin"}}); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Hour)
	}
	for _, profile := range []sandbox.Profile{sandbox.ProfileOff, sandbox.ProfileWorkspace} {
		for i := range 6 {
			dir := t.TempDir()
			host := exec.Command("/proc/self/exe", "-test.run", "^TestHostDies$")
			host.Env = append(os.Environ(), hostDies+"="+dir, "PROFILE="+string(profile))
			if err := host.Start(); err != nil {
				t.Fatal(err)
			}
			await(t, func() bool { _, err := os.Stat(filepath.Join(dir, "on")); return err == nil })
			for range i { // another moment each time
				unix.Nanosleep(&unix.Timespec{Nsec: 700_000}, nil)
			}
			_ = host.Process.Kill()
			_ = host.Wait()
			// Whoever lives holds a shared lock.
			f, err := os.OpenFile(filepath.Join(dir, "alive"), os.O_RDWR|os.O_CREATE, 0o600)
			if err != nil {
				t.Fatal(err)
			}
			await(t, func() bool { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil })
			_ = f.Close()
		}
	}
}

// await waits for something that happens elsewhere.
func await(t *testing.T, happened func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !happened(); {
		if time.Now().After(deadline) {
			t.Fatal(fmt.Errorf("it did not happen in 20 s"))
		}
		unix.Nanosleep(&unix.Timespec{Nsec: 1_000_000}, nil) // nobody tells
	}
}
