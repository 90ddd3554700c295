package sandbox_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"golang.org/x/sys/unix"
)

// takes is set in a copy of this program that runs as a command and takes all that
// it gets of something.
const takes = "SANDBOX_TEST_TAKES"

// take writes how much it has into the file "taken", and keeps it until there is a
// file "go".
func take(what string) {
	if what == "names" {
		takeNames()
	}
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) == nil {
		_ = unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: limit.Max, Max: limit.Max})
	}
	of := map[string]func() error{
		"terminals": func() error { _, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY, 0); return err },
		"watchers":  func() error { _, err := unix.InotifyInit1(unix.IN_CLOEXEC); return err },
	}
	n, err := 0, error(nil)
	for ; err == nil && n < 2000; n++ {
		err = of[what]()
	}
	_ = os.WriteFile("taken.new", []byte(strconv.Itoa(n-1)), 0o600) // whoever waits says that there is none
	_ = os.Rename("taken.new", "taken")
	for {
		if _, err := os.Stat("go"); err == nil {
			fmt.Println("end")
			return
		}
		unix.Nanosleep(&unix.Timespec{Nsec: 1_000_000}, nil) // nobody tells
	}
}

// takeNames has the name of a secret lead to ever new folders.
func takeNames() {
	for i := 0; ; i++ {
		to := fmt.Sprintf(".d%d", i)
		_ = os.Mkdir(to, 0o700)
		_ = os.Symlink(to, ".next")
		_ = os.Rename(".next", ".aws")
	}
}

// copySelf puts this program where a command finds it.
func copySelf(t *testing.T, dir string) {
	t.Helper()
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "take"), self, 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
}

// taking runs it in a box, and returns how much it has while it has it.
func taking(t *testing.T, box *sandbox.Box, dir, what string) int {
	t.Helper()
	copySelf(t, dir)
	p, read := begin(t, box, dir, takes+"="+what+" exec ./take")
	t.Cleanup(func() {
		if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
			t.Error(err)
		}
		<-p.Exited()
		p.End(0)
		if got := read(); got != "end\n" {
			t.Errorf("it ended with %q", got)
		}
	})
	await(t, func() bool { _, err := os.Stat(filepath.Join(dir, "taken")); return err == nil })
	text, err := os.ReadFile(filepath.Join(dir, "taken"))
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestTerminalsHaveABound: a command that takes all that it gets leaves those of the
// host and of other commands.
func TestTerminalsHaveABound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	box := open(t, sandbox.Policy{Workspace: dir})
	if !whole(t, box) {
		return
	}
	if n := taking(t, box, dir, "terminals"); n < 10 || n > 64 {
		t.Errorf("a command has %d terminals", n)
	}
	if got := typed(t, box, dir, "echo on"); got != "on\r\n" {
		t.Errorf("another one: %q", got)
	}
}

// TestWatchersHaveABound: a command that takes all that it gets leaves enough for the
// host, and for boxes that watch for secrets.
func TestWatchersHaveABound(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("/proc/sys/fs/inotify/max_user_instances")
	if err != nil {
		t.Fatal(err)
	}
	most, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	home, dir := homeWithKeys(t), t.TempDir()
	policy := sandbox.Policy{Workspace: dir, Write: []string{home}, Home: home, Path: "/usr/bin:/bin"}
	box := open(t, policy)
	if !whole(t, box) {
		return
	}
	if os.Geteuid() == 0 {
		return // commands of root are counted with the host's
	}
	if n := taking(t, box, dir, "watchers"); n < 7 || n > max(most/8, 8)-1 {
		t.Errorf("a command has %d of %d", n, most)
	}
	next := open(t, policy)
	if slices.ContainsFunc(next.Measures(), func(m hostapi.Measure) bool { return m.Name == "secrets" && m.Gap != "" }) {
		t.Errorf("another box does not watch: %+v", next.Measures())
	}
}

// TestSandboxThatEndsSaysWhy: where secrets cannot be kept hidden, because a command
// has their names lead elsewhere without end, all commands are ended and are told why.
func TestSandboxThatEndsSaysWhy(t *testing.T) {
	t.Parallel()
	home := homeWithKeys(t)
	box := open(t, sandbox.Policy{Workspace: home, Home: home, Path: "/usr/bin:/bin"})
	if !whole(t, box) {
		return
	}
	copySelf(t, home)
	other, _ := begin(t, box, home, "exec sleep 1000")
	if got := line(t, box, home, "exit 3"); got.code != 3 {
		t.Errorf("an ordinary one: %+v", got)
	}
	p, _ := begin(t, box, home, takes+"=names exec ./take")
	for name, p := range map[string]*sandbox.Process{"it": p, "another": other} {
		<-p.Exited()
		p.End(0)
		_, signal := p.Status()
		if err := p.Failure(); err == nil || !strings.Contains(err.Error(), " cannot be kept hidden") || !strings.HasPrefix(err.Error(), home+"/.") || signal != "SIGKILL" {
			t.Errorf("%s ended by %s: %v", name, signal, err)
		}
	}
	if _, err := box.Start(&exec.Cmd{Path: "/bin/true", Dir: home}); err == nil {
		t.Error("the box starts commands")
	}
}
