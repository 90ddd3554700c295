package sandbox_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"go.uber.org/goleak"
)

// ordinary is set in a copy of this program that runs as an ordinary user.
const ordinary = "SANDBOX_TEST_ORDINARY"

func TestMain(m *testing.M) {
	sandbox.Main()
	if os.Getenv(assaults) != "" {
		assault()
		return
	}
	if what := os.Getenv(takes); what != "" {
		take(what)
		return
	}
	goleak.VerifyTestMain(m)
}

// TestAsOrdinaryUser runs the tests of this package again as a user without
// rights, where this one has them.
func TestAsOrdinaryUser(t *testing.T) { //nolint:paralleltest // it runs all others
	if os.Geteuid() != 0 {
		return // it is one
	}
	dir, err := os.MkdirTemp("", "ordinary-") // t.TempDir lies in a folder that nobody else may enter
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "sandbox.test")
	if err := os.WriteFile(binary, self, 0o755); err != nil { //nolint:gosec // somebody else runs it
		t.Fatal(err)
	}
	const nobody = 65534
	if err := os.Chown(dir, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "-test.v", "-test.skip", "TestAsOrdinaryUser")
	cmd.Dir, cmd.Env = dir, []string{"PATH=/usr/bin:/bin", "HOME=" + dir, "TMPDIR=" + dir, ordinary + "=1"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: TestLinesInTheBox")) {
		t.Errorf("%v\n%s", err, out)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "scriptrun-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// open is a box that ends with the test.
func open(t testing.TB, policy sandbox.Policy) *sandbox.Box {
	t.Helper()
	if policy.Path == "" {
		policy.Path, policy.Home = os.Getenv("PATH"), os.Getenv("HOME")
	}
	box, err := sandbox.Open(policy)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(box.Close)
	return box
}

// outcome is the result of a line.
type outcome struct {
	out, signal string
	code        int
}

func line(t testing.TB, box *sandbox.Box, dir, line string) outcome {
	t.Helper()
	p, read := begin(t, box, dir, line)
	<-p.Exited()
	p.End(100 * time.Millisecond)
	code, signal := p.Status()
	return outcome{out: read(), code: code, signal: signal}
}

// begin starts a line; read returns all its output, once it has ended.
func begin(t testing.TB, box *sandbox.Box, dir, line string) (p *sandbox.Process, read func() string) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p, err = box.Start(&exec.Cmd{Path: "/bin/sh", Args: []string{"sh", "-c", line}, Env: os.Environ(), Dir: dir, Stdout: w, Stderr: w})
	_ = w.Close()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	done := make(chan struct{})
	go func() {
		_, _ = io.Copy(&out, r)
		close(done)
	}()
	return p, func() string {
		<-done
		_ = r.Close()
		return out.String()
	}
}

// whole reports whether this machine enforces everything for this user except the number of
// processes.
func whole(t *testing.T, box *sandbox.Box) bool {
	t.Helper()
	for _, m := range box.Measures() {
		if m.Gap != "" && m.Name != "resources" {
			t.Logf("%s is not kept here: %s", m.Name, m.Gap)
			return false
		}
	}
	return true
}

// TestLinesInTheBox tries what commands can see and do in the default profile.
func TestLinesInTheBox(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret")
	if err := os.WriteFile(secret, []byte("planted"), 0o644); err != nil { //nolint:gosec // it is to be found
		t.Fatal(err)
	}
	dir := t.TempDir()
	box := open(t, sandbox.Policy{Workspace: dir})
	if !whole(t, box) {
		return
	}
	for _, c := range []struct{ line, want string }{
		{"echo x > f && cat f", "x\n"},
		{"pwd", dir + "\n"},
		{"echo $TMPDIR; f=$(mktemp) && rm $f && echo gone", "/tmp\ngone\n"},
		{"cat " + secret + " 2>/dev/null || echo none", "none\n"},
		{"ls " + outside + " 2>/dev/null || echo none", "none\n"},
		{"cat /etc/shadow /etc/gshadow 2>/dev/null; echo", "\n"},
		{"touch /usr/new /etc/new /new 2>/dev/null || echo none", "none\n"},
		{"chmod 777 /etc/passwd 2>/dev/null || echo none", "none\n"},
		{"[ $(ls /proc | grep -c '^[0-9]') -lt 6 ] && echo few", "few\n"},
		{"cat /proc/1/environ /proc/1/mem 2>/dev/null; ls /proc/1/root/ 2>/dev/null; readlink /proc/1/fd/3 /proc/1/exe; cat /proc/1/fd/* 2>/dev/null; echo", "\n"},
		{"kill -9 1 2>/dev/null; echo alive", "alive\n"},
		{"touch s && chmod u+s s 2>/dev/null || echo none", "none\n"},
		{"cp /bin/sh s2 && chmod 4755 s2 2>/dev/null; [ -u s2 ] || echo none", "none\n"},
		{"mkdir d && chmod 755 d && cp -p /bin/sh d/ && mv d e && rm -r e && echo ok", "ok\n"},
		{"ulimit -c; ulimit -f | grep -c unlimited", "0\n0\n"},
		{"cat /proc/net/dev | grep -c eth", "0\n"},
		{"ls /dev/shm | wc -l; echo x > /dev/shm/x && cat /dev/shm/x", "0\nx\n"},
		{"id -u", fmt.Sprintln(os.Geteuid())},
		{"(sleep 0.01; exit 3) & wait $!; echo $?", "3\n"},
		{"mount 2>/dev/null | grep -c ' / '", "1\n"},
	} {
		if got := line(t, box, dir, c.line); got.out != c.want {
			t.Errorf("%s: %+v; want %q", c.line, got, c.want)
		}
	}
}

// TestEndings: commands end by themselves, or are ended.
func TestEndings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sleep := fmt.Sprintf("sleep 86400.%d", os.Getpid()) // nobody else's: without a box all processes of the machine are listed
	for _, profile := range []sandbox.Profile{sandbox.ProfileWorkspace, sandbox.ProfileReadOnly, sandbox.ProfileOff} {
		box := open(t, sandbox.Policy{Workspace: dir, Profile: profile})
		for _, c := range []struct {
			line string
			want outcome
		}{
			{"exit 7", outcome{code: 7}},
			{"kill -TERM $$", outcome{code: -1, signal: "SIGTERM"}},
			{"kill -SEGV $$", outcome{code: -1, signal: "SIGSEGV"}},
			{"trap 'echo trapped; exit 5' TERM; kill -TERM $$; sleep 5", outcome{out: "trapped\n", code: 5}},
			{"setsid " + sleep + " & " + sleep + " & trap '' TERM; echo x", outcome{out: "x\n"}},
			{"(setsid sh -c 'trap \"\" TERM; " + sleep + " & " + sleep + "') & exit 4", outcome{code: 4}},
		} {
			if got := line(t, box, dir, c.line); got != c.want {
				t.Errorf("%s: %s: %+v; want %+v", profile, c.line, got, c.want)
			}
		}
		if got := line(t, box, dir, "ps -e -o args= 2>/dev/null | grep -c '^"+sleep+"' || true"); got.out != "0\n" {
			t.Errorf("%s: left behind: %s", profile, got.out)
		}
	}
}

// TestStop ends a command with all that it started, hidden processes too.
func TestStop(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, profile := range []sandbox.Profile{sandbox.ProfileWorkspace, sandbox.ProfileOff} {
		box := open(t, sandbox.Policy{Workspace: dir, Profile: profile})
		p, read := begin(t, box, dir, "trap '' TERM; (setsid setsid sh -c 'trap \"\" TERM; touch ready; while :; do sleep 1; done' &) ; while :; do sleep 1; done")
		for deadline := time.Now().Add(10 * time.Second); ; {
			if _, err := os.Stat(filepath.Join(dir, "ready")); err == nil {
				break
			}
			if time.Now().After(deadline) {
				t.Fatal("it did not start")
			}
			syscall.Select(0, nil, nil, nil, &syscall.Timeval{Usec: 1000}) //nolint:errcheck // a short wait for a file
		}
		if n := p.Signal(0); n < 2 {
			t.Errorf("%s: %d processes", profile, n)
		}
		p.End(10 * time.Millisecond)
		if code, signal := p.Status(); code != -1 || signal != "SIGKILL" {
			t.Errorf("%s: %d %s", profile, code, signal)
		}
		if n := p.Signal(0); n != 0 {
			t.Errorf("%s: %d processes are left", profile, n)
		}
		read() // nobody holds the pipe
		_ = os.Remove(filepath.Join(dir, "ready"))
	}
}

// TestTemporaryFoldersArePrivate: concurrent commands do not see each other's, and the next
// command does not see the last one's.
func TestTemporaryFoldersArePrivate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	box := open(t, sandbox.Policy{Workspace: dir})
	if !whole(t, box) {
		return
	}
	first, read := begin(t, box, dir, "touch /tmp/mine /dev/shm/mine ready; chmod 000 /tmp; while [ ! -e go ]; do sleep 0.01; done")
	if got := line(t, box, dir, "while [ ! -e ready ]; do sleep 0.01; done; find /tmp /dev/shm $TMPDIR/.. -name mine 2>/dev/null"); got.out != "" {
		t.Errorf("another command's file is seen: %s", got.out)
	}
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	<-first.Exited()
	first.End(0)
	read()
	var running sync.WaitGroup
	for range 4 {
		running.Go(func() {
			if got := line(t, box, dir, "find /tmp /dev/shm -name mine; touch /tmp/x && rm /tmp/x && echo ok"); got.out != "ok\n" {
				t.Errorf("the next command: %+v", got)
			}
		})
	}
	running.Wait()
}

// TestNetworks: loopback is the box's own, and nothing else is reached.
func TestNetworks(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Logf("python3 is not installed; %v", err)
		return
	}
	if python, err = filepath.EvalSymlinks(python); err != nil || !strings.HasPrefix(python, "/usr/") {
		t.Logf("python3 is in %s, %v", python, err)
		return
	}
	const talk = `import socket
s = socket.create_server(("127.0.0.1", 0)); c = socket.create_connection(s.getsockname()); print("talked")`
	const out = `import socket
for family, address in (socket.AF_INET, ("192.0.2.1", 80)), (socket.AF_INET6, ("2001:db8::1", 80)):
    try:
        s = socket.socket(family); s.settimeout(5); s.connect(address); print("out")
    except OSError as e: print(type(e).__name__)`
	dir := t.TempDir()
	for name, text := range map[string]string{"talk.py": talk, "out.py": out} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	none, loopback := open(t, sandbox.Policy{Workspace: dir}), open(t, sandbox.Policy{Workspace: dir, Network: sandbox.NetworkLoopback})
	if !whole(t, loopback) {
		return
	}
	if got := line(t, none, dir, python+" talk.py"); got.code == 0 {
		t.Errorf("none: %+v", got)
	}
	if got := line(t, loopback, dir, python+" talk.py"); got.out != "talked\n" {
		t.Errorf("loopback: %+v", got)
	}
	if got := line(t, loopback, dir, python+" out.py"); strings.Contains(got.out, "out\n") {
		t.Errorf("loopback: %+v", got)
	}
}

// TestHolderDies: if the holder is killed, so are its commands.
func TestHolderDies(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	box := open(t, sandbox.Policy{Workspace: dir})
	if !whole(t, box) {
		return
	}
	p, read := begin(t, box, dir, "echo on; exec sleep 1000")
	box.Close()
	<-p.Exited()
	p.End(time.Second)
	if code, signal := p.Status(); code != -1 || signal != "SIGKILL" {
		t.Errorf("%d %s", code, signal)
	}
	read()
	if _, err := box.Start(&exec.Cmd{Path: "/bin/true", Args: []string{"true"}, Dir: dir}); err == nil {
		t.Error("a closed box starts commands")
	}
}

// TestStartErrors are those of the system.
func TestStartErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	box := open(t, sandbox.Policy{Workspace: dir})
	for _, c := range []struct {
		cmd  exec.Cmd
		want error
	}{
		{exec.Cmd{Path: "/bin/none", Args: []string{"none"}, Dir: dir}, syscall.ENOENT},
		{exec.Cmd{Path: "/bin/sh", Args: []string{"sh"}, Dir: dir + "/none"}, syscall.ENOENT},
		{exec.Cmd{Path: "/etc/passwd", Args: []string{"passwd"}, Dir: dir}, syscall.EACCES},
		{exec.Cmd{Path: "/bin/sh", Args: []string{"sh", strings.Repeat("x", 1<<20)}, Dir: dir}, syscall.E2BIG},
		{exec.Cmd{Path: "/bin/sh", Args: []string{"sh"}, Env: []string{"A=b\x00C=d"}, Dir: dir}, syscall.EINVAL},
		{exec.Cmd{Path: "/bin/sh", Args: []string{"sh", "-c\x00true"}, Dir: dir}, syscall.EINVAL},
		{exec.Cmd{Path: "/bin/sh", Args: []string{"sh"}, Dir: dir + "\x00"}, syscall.EINVAL},
	} {
		if _, err := box.Start(&c.cmd); err != c.want { //nolint:errorlint // it is the bare number
			t.Errorf("%s: %v; want %v", c.cmd.Path, err, c.want)
		}
	}
	if got := line(t, box, dir, "echo on"); got.out != "on\n" {
		t.Errorf("after errors: %+v", got)
	}
	for _, bad := range []sandbox.Policy{
		{Profile: "loose"}, {Read: []string{"relative"}}, {Network: "some"}, {Profile: sandbox.ProfileOff, Require: true}, {Limits: sandbox.Limits{Processes: -1}},
		{Workspace: dir + "/none"},
	} {
		if box, err := sandbox.Open(bad); err == nil {
			box.Close()
			t.Errorf("%+v is taken", bad)
		}
	}
}

// TestManyAtOnce: no descriptor, process or folder is mixed up or left.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	box := open(t, sandbox.Policy{Workspace: dir})
	var running sync.WaitGroup
	for i := range 16 {
		running.Go(func() {
			for j := range 10 {
				want := fmt.Sprintf("%d %d\n", i, j)
				if got := line(t, box, dir, fmt.Sprintf("echo %d %d; exit %d", i, j, i)); got.out != want || got.code != i {
					t.Errorf("%+v; want %q and %d", got, want, i)
				}
			}
		})
	}
	running.Wait()
}
