package sandbox_test

import (
	"errors"
	"fmt"
	"net"
	"os"
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
		return
	}
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) == nil {
		_ = unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: limit.Max, Max: limit.Max})
	}
	of := map[string]func() error{
		"terminals":   func() error { _, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY, 0); return err },
		"connections": connectSilently,
		"watchers":    func() error { _, err := unix.InotifyInit1(unix.IN_CLOEXEC); return err },
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

// port is where the host listens, for a command.
const port = "SANDBOX_TEST_PORT"

// connectSilently opens a connection to the host, which does not accept it yet.
func connectSilently() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_SYNCNT, 1); err != nil { // one that has to try again tries once
		return err
	}
	number, err := strconv.Atoi(os.Getenv(port))
	if err != nil {
		return err
	}
	return unix.Connect(fd, &unix.SockaddrInet4{Port: number, Addr: [4]byte{127, 0, 0, 1}})
}

// names are the names of secrets that a command replaces, and of links to some, with the
// function that makes the replacement.
var names = map[string]func(next, to string) error{
	".npmrc": func(next, _ string) error { return os.WriteFile(next, nil, 0o600) },
	".kube":  func(next, _ string) error { return os.Mkdir(next, 0o700) },
	".aws":   linkToNew,
	".m2": func(next, to string) error {
		return errors.Join(linkToNew(next, to), os.Mkdir(to+"/settings.xml", 0o700))
	},
	"middle":     linkToNew, // .azure leads to it
	".m3/docker": linkToNew, // so does .docker
}

// linkToNew makes a link to a folder that is new.
func linkToNew(next, to string) error { return errors.Join(os.Mkdir(to, 0o700), os.Symlink(to, next)) }

// takeNames replaces each of the names again and again, until none can be replaced.
func takeNames() {
	home, err := os.Getwd()
	if err != nil {
		fmt.Println(err)
		return
	}
	held := map[string]bool{}
	for i := 0; len(held) < len(names); i++ {
		for name, put := range names {
			next := filepath.Join(filepath.Dir(name), ".next")
			_ = os.RemoveAll(next)
			if err := put(next, filepath.Join(home, fmt.Sprintf("to%d%s", i, filepath.Base(name)))); err != nil {
				fmt.Println(err)
				return
			}
			if err := unix.Rename(next, name); errors.Is(err, unix.EBUSY) {
				held[name] = true
			} else if err != nil && !errors.Is(err, unix.EXDEV) { // the folder was held meanwhile
				fmt.Println(name, err)
				return
			}
		}
	}
	fmt.Println("held")
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

// taking runs it in a box, and returns how much it has.
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

// TestTerminalsHaveABound: a command that takes all terminals it can get leaves those of the
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

// TestConnectionsDoNotWaitToBeAccepted: however many a command makes, and however busy the host
// is, each is connected at once.
func TestConnectionsDoNotWaitToBeAccepted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	box := open(t, sandbox.Policy{Workspace: dir, Network: sandbox.NetworkProxied})
	if !whole(t, box) {
		return
	}
	_, number, err := net.SplitHostPort(box.Listener().Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if n := taking(t, box, dir, "connections "+port+"="+number); n < 1000 {
		t.Errorf("a command has %d connections", n)
	}
}

// TestWatchersHaveABound: a command that takes all watches it can get leaves enough for the
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

// TestNamesOfSecretsAreHeld: a command can replace a secret, or links that lead to it, only
// until it is hidden again. Others of the box go on.
func TestNamesOfSecretsAreHeld(t *testing.T) {
	t.Parallel()
	home := homeWithKeys(t)
	box := open(t, sandbox.Policy{Workspace: home, Home: home, Path: "/usr/bin:/bin"})
	if !whole(t, box) {
		return
	}
	if err := os.Mkdir(filepath.Join(home, ".m3"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{".azure": "middle", ".docker": ".m3/docker"} {
		if err := os.Symlink(to, filepath.Join(home, name)); err != nil {
			t.Fatal(err)
		}
	}
	copySelf(t, home)
	other, _ := begin(t, box, home, "exec sleep 1000")
	p, read := begin(t, box, home, takes+"=names exec ./take")
	<-p.Exited()
	p.End(0)
	if got := read(); got != "held\n" || p.Failure() != nil {
		t.Errorf("%q, %v", got, p.Failure())
	}
	if got := line(t, box, home, "mv .m3 .m4; ls -A .azure/ .docker/"); !strings.Contains(got.out, "cannot move") || strings.Contains(got.out, "No such") {
		t.Errorf("what leads there: %+v", got)
	}
	if other.Signal(0) == 0 || !box.Alive() {
		t.Error("all commands were ended")
	}
	other.End(0)
}

// TestLinksThatLeadNowhereEndNothing: a name of a secret that leads to an impossible path is no
// reason to end all commands.
func TestLinksThatLeadNowhereEndNothing(t *testing.T) {
	t.Parallel()
	home := homeWithKeys(t)
	box := open(t, sandbox.Policy{Workspace: home, Home: home, Path: "/usr/bin:/bin"})
	if !whole(t, box) {
		return
	}
	links := "ln -s " + strings.Repeat("x", 300) + "/y .aws && ln -s " + strings.Repeat("x/", 2040) + " .azure"
	if got := line(t, box, home, links+" && echo secret > new && mv new .npmrc && echo on"); got.out != "on\n" {
		t.Errorf("%+v", got)
	}
	if seen := ask(t, box, home, ".npmrc").seen(t); seen != "" || !box.Alive() {
		t.Errorf("what came last is seen: %q", seen)
	}
}

// TestSandboxThatEndsSaysWhy: if a secret cannot be kept hidden, the reason names it, and each
// command that ends with the box has that reason.
func TestSandboxThatEndsSaysWhy(t *testing.T) {
	t.Parallel()
	home := homeWithKeys(t)
	policy := sandbox.Policy{Workspace: home, Home: home, Path: "/usr/bin:/bin"}
	unwatched := sandbox.CannotWatch(policy)
	if unwatched == nil || !strings.HasPrefix(unwatched.Error(), home+"/.") || !strings.Contains(unwatched.Error(), " cannot be kept hidden: the system does not report when it is replaced: commands or other programs of their user have taken all watches of folders") {
		t.Errorf("it watches: %v", unwatched)
	}
	why := sandbox.CannotHide(policy, errors.New("a reason"))
	if why == nil || !strings.HasPrefix(why.Error(), home+"/.") || !strings.Contains(why.Error(), " cannot be kept hidden: it is replaced again and again, and a reason") {
		t.Fatalf("it hides: %v", why)
	}
	for name, p := range sandbox.EndedBecause(why, "one", "another") {
		<-p.Exited()
		p.End(0)
		if _, signal := p.Status(); signal != "SIGKILL" || p.Failure() == nil || p.Failure().Error() != why.Error() {
			t.Errorf("%s ended by %s: %v", name, signal, p.Failure())
		}
	}
}
