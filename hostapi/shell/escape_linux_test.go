package shell_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"github.com/scriptrun/scriptrun/hostapi/shell"
	"golang.org/x/sys/unix"
)

// escape is an attempt to get out of the sandbox, made by a copy of this
// program inside it.
type escape struct {
	name string
	// measure is what stops it; see [shell.Tool.Confinement].
	measure string
	// open is set where the attempt works for everybody outside a sandbox, so
	// that the test can be seen to try the right thing.
	open bool
	try  func(outside, parent string) error
}

var escapes = []escape{
	{"write to a file outside", "files", true, func(outside, _ string) error {
		return os.WriteFile(filepath.Join(outside, "key"), nil, 0o600)
	}},
	{"make a file outside", "files", true, func(outside, _ string) error {
		return os.WriteFile(filepath.Join(outside, "new"), nil, 0o600)
	}},
	{"make a folder outside", "files", true, func(outside, _ string) error { return os.Mkdir(filepath.Join(outside, "dir"), 0o700) }},
	{"append through a link", "files", true, func(outside, _ string) error {
		if err := os.Symlink(filepath.Join(outside, "key"), "link"); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
		f, err := os.OpenFile("link", os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return f.Close()
	}},
	{"move a file out", "files", true, func(outside, _ string) error {
		if err := os.WriteFile("mine", nil, 0o600); err != nil {
			return nil //nolint:nilerr // a workspace that cannot be written is another test's matter
		}
		return os.Rename("mine", filepath.Join(outside, "mine"))
	}},
	{"move a file in", "files", true, func(outside, _ string) error { return os.Rename(filepath.Join(outside, "spare"), "spare") }},
	{"remove a file outside", "files", true, func(outside, _ string) error { return os.Remove(filepath.Join(outside, "spare2")) }},
	{"link a file in", "files", true, func(outside, _ string) error { return os.Link(filepath.Join(outside, "key"), "hard") }},
	{"make a link outside", "files", true, func(outside, _ string) error { return os.Symlink("/", filepath.Join(outside, "soft")) }},
	{"truncate a file outside", "files", true, func(outside, _ string) error { return os.Truncate(filepath.Join(outside, "key"), 0) }},
	{"read a key in the home folder", "files", true, func(outside, _ string) error {
		_, err := os.ReadFile(filepath.Join(outside, "home", ".ssh", "id"))
		return err
	}},
	{"list the home folder", "files", true, func(outside, _ string) error {
		_, err := os.ReadDir(filepath.Join(outside, "home"))
		return err
	}},
	{"read through the root of a process", "files", true, func(outside, parent string) error {
		_, err := os.ReadFile(filepath.Join("/proc", parent, "root", outside, "key"))
		return err
	}},
	{"read the environment of the host", "files", true, func(_, parent string) error {
		_, err := os.ReadFile("/proc/" + parent + "/environ")
		return err
	}},
	{"read the memory of the host", "files", false, func(_, parent string) error {
		f, err := os.Open("/proc/" + parent + "/mem")
		if err != nil {
			return err
		}
		return f.Close()
	}},
	{"signal the host", "signals", true, func(_, parent string) error { return syscall.Kill(number(parent), 0) }},
	{"trace the host", "system calls", false, func(_, parent string) error { return unix.PtraceSeize(number(parent)) }},
	{"limit the host", "system calls", true, func(_, parent string) error {
		var limit unix.Rlimit
		return unix.Prlimit(number(parent), unix.RLIMIT_CORE, nil, &limit)
	}},
	{"take off the mark", "system calls", true, func(string, string) error {
		return unix.Setrlimit(unix.RLIMIT_RTTIME, &unix.Rlimit{Cur: 1, Max: 1})
	}},
	{"TCP", "network", true, func(string, string) error { return reach("tcp4") }},
	{"TCP over IPv6", "network", false, func(string, string) error { return reach("tcp6") }},
	{"UDP", "network", true, func(string, string) error { return reach("udp4") }},
	{"a raw socket", "network", false, func(string, string) error { return socket(unix.AF_INET, unix.SOCK_RAW) }},
	{"another protocol", "network", false, func(string, string) error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_SCTP)
		if err == nil {
			_ = unix.Close(fd)
		}
		return err
	}},
	{"a server", "network", false, func(string, string) error {
		listener, err := net.Listen("tcp4", "127.0.0.1:0") //nolint:noctx // it is closed at once
		if err == nil {
			_ = listener.Close()
		}
		return err
	}},
	{"raw packets", "network", false, func(string, string) error { return socket(unix.AF_PACKET, unix.SOCK_RAW) }},
	{"netlink", "network", true, func(string, string) error { return socket(unix.AF_NETLINK, unix.SOCK_RAW) }},
	{"a socket by its path", "network", true, func(outside, _ string) error { return dial(filepath.Join(outside, "socket")) }},
	{"an abstract socket", "network", true, func(outside, _ string) error { return dial("@" + outside) }},
	{"a datagram to a socket, from a pair", "network", true, func(outside, _ string) error {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		return unix.Sendto(pair[0], []byte("x"), 0, &unix.SockaddrUnix{Name: filepath.Join(outside, "datagrams")})
	}},
	{"io_uring", "system calls", false, func(string, string) error { return call(unix.SYS_IO_URING_SETUP, 1, make([]byte, 120)) }},
	{"mount", "system calls", false, func(string, string) error { return unix.Mount("none", ".", "tmpfs", 0, "") }},
	{"unmount", "system calls", false, func(string, string) error { return unix.Unmount("/proc", unix.MNT_DETACH) }},
	{"a tree of mounts", "system calls", true, func(string, string) error {
		fd, err := unix.OpenTree(unix.AT_FDCWD, "/", unix.OPEN_TREE_CLOEXEC)
		if err == nil {
			_ = unix.Close(fd)
		}
		return err
	}},
	{"a tree of mounts, with attributes", "system calls", false, func(string, string) error {
		_, _, errno := unix.RawSyscall6(unix.SYS_OPEN_TREE_ATTR, ^uintptr(99), uintptr(unsafe.Pointer(&[]byte("/\x00")[0])), 0, 0, 0, 0) // AT_FDCWD
		if errno != 0 {
			return errno
		}
		return nil
	}},
	{"unshare", "system calls", false, func(string, string) error { return unix.Unshare(unix.CLONE_NEWNS) }},
	{"a user namespace", "system calls", false, func(string, string) error {
		_, _, errno := unix.RawSyscall6(unix.SYS_CLONE, unix.CLONE_NEWUSER|uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
		if errno == 0 {
			return nil
		}
		return errno
	}},
	{"chroot", "system calls", false, func(string, string) error { return unix.Chroot(".") }},
	{"keyctl", "system calls", true, func(string, string) error {
		_, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_SESSION_KEYRING, true)
		return err
	}},
	{"bpf", "system calls", false, func(string, string) error { return call(unix.SYS_BPF, 0, make([]byte, 128)) }},
	{"perf events", "system calls", false, func(string, string) error { return call(unix.SYS_PERF_EVENT_OPEN, 0, make([]byte, 128)) }},
	{"shared memory", "system calls", true, func(string, string) error {
		_, err := unix.SysvShmGet(unix.IPC_PRIVATE, 4096, unix.IPC_CREAT|0o600)
		return err
	}},
	{"the clock", "system calls", false, func(string, string) error { return unix.Settimeofday(&unix.Timeval{Sec: 1 << 30}) }},
	{"a device", "files", false, func(string, string) error { return unix.Mknod("device", unix.S_IFCHR|0o600, int(unix.Mkdev(1, 3))) }},
	{"leave the control group", "files", false, func(string, string) error {
		groups, err := filepath.Glob("/sys/fs/cgroup/*/cgroup.procs")
		if err == nil {
			err = os.ErrNotExist
		}
		for _, path := range append(groups, "/sys/fs/cgroup/cgroup.procs") {
			if e := os.WriteFile(path, []byte("0"), 0); e == nil {
				return nil
			} else if !errors.Is(e, os.ErrNotExist) {
				err = e
			}
		}
		return err
	}},
	{"clone3", "system calls", true, func(string, string) error {
		// With it a process could be born into another control group. The arguments
		// are wrong, which only a call that is there finds out.
		if err := call(unix.SYS_CLONE3, 0, make([]byte, 1)); errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
			return err
		}
		return nil
	}},
	{"a file that runs as its owner", "system calls", true, func(string, string) error { return setID(unix.S_ISUID) }},
	{"a file that runs as its group", "system calls", false, func(string, string) error {
		if os.Geteuid() != 0 {
			return os.ErrPermission // it would be the user's own group
		}
		return setID(unix.S_ISGID)
	}},
	{"a file of a thousand GiB", "resources", true, func(string, string) error {
		signal.Ignore(unix.SIGXFSZ)
		return os.Truncate(scratch(), 1000<<30)
	}},
	{"raise a limit", "resources", true, func(string, string) error {
		return unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: unix.RLIM_INFINITY, Max: unix.RLIM_INFINITY})
	}},
	{"the kernel's settings", "files", false, func(string, string) error { return os.WriteFile("/proc/sys/kernel/hostname", []byte("x"), 0) }},
	{"change a mode outside", "modes", true, func(outside, _ string) error { return os.Chmod(filepath.Join(outside, "key"), 0o777) }},
	{"change times outside", "modes", true, func(outside, _ string) error {
		return os.Chtimes(filepath.Join(outside, "key"), time.Unix(1, 0), time.Unix(1, 0))
	}},
	{"change an owner outside", "modes", true, func(outside, _ string) error {
		return os.Lchown(filepath.Join(outside, "key"), os.Getuid(), os.Getgid())
	}},
	{"set an attribute outside", "modes", false, func(outside, _ string) error {
		return unix.Setxattr(filepath.Join(outside, "key"), "user.test", []byte("x"), 0)
	}},
}

// setID makes a file that runs with more rights.
func setID(mode uint32) error {
	name := scratch()
	if err := unix.Chmod(name, 0o755|mode); err != nil {
		return err
	}
	var stat unix.Stat_t
	if err := unix.Stat(name, &stat); err != nil || stat.Mode&mode == 0 {
		return os.ErrPermission
	}
	return nil
}

// scratch is a new file where every profile may write.
func scratch() string {
	f, err := os.CreateTemp("", "scratch-")
	if err != nil {
		os.Exit(98) // that is another test's matter
	}
	_ = f.Close()
	return f.Name()
}

func number(s string) int {
	n, _ := strconv.Atoi(s) // it is 0 if the test is broken, and fails
	return n
}

func socket(family, kind int) error {
	fd, err := unix.Socket(family, kind, 0)
	if err == nil {
		_ = unix.Close(fd)
	}
	return err
}

func dial(address string) error {
	conn, err := net.Dial("unix", address) //nolint:noctx // it succeeds or fails at once
	if err == nil {
		_ = conn.Close()
	}
	return err
}

func call(number, first uintptr, with []byte) error {
	_, _, errno := unix.RawSyscall(number, first, uintptr(unsafe.Pointer(&with[0])), uintptr(len(with)))
	if errno != 0 {
		return errno
	}
	return nil
}

// escapeVariable names the attempts that a copy of this program is to make, one a line.
const escapeVariable = "SHELL_TEST_ESCAPE"

// attempt makes the attempts that the environment names, and ends the program: with 33 if each
// was refused, and with 0 if one got through, which it names.
func attempt() {
	if os.Getenv(targetsVariable) != "" {
		tryWays() // does not return
	}
	names, ok := os.LookupEnv(escapeVariable)
	if !ok {
		return
	}
	code := 33
	for name := range strings.SplitSeq(names, "\n") {
		i := slices.IndexFunc(escapes, func(e escape) bool { return e.name == name })
		if i < 0 {
			os.Exit(99)
		}
		if err := escapes[i].try(os.Getenv("OUTSIDE"), os.Getenv("PARENT")); err != nil {
			fmt.Printf("%s: %q\n", name, err.Error())
			continue
		}
		fmt.Println(name + " GOT THROUGH")
		code = 0
	}
	os.Exit(code)
}

// plant makes a folder outside of any workspace with things worth having.
func plant(t *testing.T) string {
	t.Helper()
	outside, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"key", "spare", "spare2", "home/.ssh/id"} {
		path := filepath.Join(outside, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, address := range []string{filepath.Join(outside, "socket"), "@" + outside} {
		listener, err := net.Listen("unix", address) //nolint:noctx // it is closed with the test
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = listener.Close() })
	}
	datagrams, err := net.ListenPacket("unixgram", filepath.Join(outside, "datagrams")) //nolint:noctx // as above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = datagrams.Close() })
	return outside
}

// inside makes the attempts in the profile, one a line, in the foreground or not.
func inside(t *testing.T, tool *shell.Tool, names, outside string, background bool) answer {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tool.Sandbox.Read = []string{filepath.Dir(self)}
	args := map[string]any{"argv": []string{self}, "env": map[string]string{
		escapeVariable: names, "GORACE": "atexit_sleep_ms=0", "OUTSIDE": outside, "SERVERS": greeters(t), "PARENT": strconv.Itoa(os.Getpid()), "HOME": filepath.Join(outside, "home"),
	}}
	return output(t, tool, args, background)
}

// output is what a call's command wrote, in the foreground or not.
func output(t *testing.T, tool *shell.Tool, args map[string]any, background bool) answer {
	t.Helper()
	if !background {
		result, got, err := invoke(t.Context(), t, tool, args, 0)
		if err != nil {
			t.Fatal(err)
		}
		if result.Outcome == hostapi.OutcomeNotStarted {
			t.Errorf("not started: %s", result.Output)
		}
		return got
	}
	handle, result, err := tool.Start(t.Context(), hostapi.Call{Args: encoded(t, args)})
	if err != nil || handle == nil {
		t.Fatalf("%+v, %v", result, err)
	}
	if result, err = handle.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := handle.Close(); err != nil {
		t.Error(err)
	}
	return decoded(t, result)
}

// keeps reports whether this machine enforces a measure.
func keeps(t *testing.T, measure string) bool {
	t.Helper()
	for _, m := range newTool(t).Confinement() {
		if m.Name == measure && m.Gap == "" {
			return true
		}
	}
	t.Logf("%s: not kept here", measure)
	return false
}

// TestEscapesFail: what works outside a sandbox does not inside, whatever the
// profile, in the foreground and in the background.
func TestEscapesFail(t *testing.T) {
	t.Parallel()
	kept := map[string]bool{}
	for _, m := range newTool(t).Confinement() {
		if kept[m.Name] = m.Gap == ""; !kept[m.Name] {
			t.Logf("%s: not kept here: %s", m.Name, m.Gap)
		}
	}
	for _, e := range escapes {
		if !kept[e.measure] || !e.open {
			continue
		}
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			tool := newTool(t)
			tool.Sandbox.Profile = shell.ProfileOff
			if got := inside(t, tool, e.name, plant(t), false); got.ExitCode != 0 {
				t.Fatalf("without a sandbox: exit code %d, %s%s", got.ExitCode, got.Stdout, got.Stderr)
			}
		})
	}
	for _, profile := range []shell.Profile{shell.ProfileReadOnly, shell.ProfileWorkspace} {
		var names []string
		for _, e := range escapes {
			nothing := e.name == "move a file out" && profile == shell.ProfileReadOnly // nothing is there to move
			if kept[e.measure] && !nothing {
				names = append(names, e.name)
			}
		}
		for _, background := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, background %t", profile, background), func(t *testing.T) {
				t.Parallel()
				tool := newTool(t)
				tool.Sandbox.Profile = profile
				outside := plant(t)
				got := inside(t, tool, strings.Join(names, "\n"), outside, background)
				if got.ExitCode != 33 || strings.Count(got.Stdout, "\n") != len(names) {
					t.Errorf("exit code %d, %s%s", got.ExitCode, got.Stdout, got.Stderr)
				}
				if key, err := os.ReadFile(filepath.Join(outside, "key")); string(key) != "secret" || err != nil {
					t.Errorf("the key: %q, %v", key, err)
				}
			})
		}
	}
}

// TestEscapesFailForAnOrdinaryUser tries them as a user without rights.
func TestEscapesFailForAnOrdinaryUser(t *testing.T) {
	t.Parallel()
	for _, test := range []string{"TestEscapesFail", "TestCallsCannotOpenTheSandbox", "TestSandboxRules"} {
		asOrdinaryUser(t, test)
	}
}

// TestSandboxLetsWork: what a command is there for goes on inside.
func TestSandboxLetsWork(t *testing.T) {
	t.Parallel()
	for line, profiles := range map[string][]shell.Profile{
		"echo x > file && cat file && mv file other && rm other && mkdir d && ln -s d e && chmod 700 d": {shell.ProfileWorkspace},
		"touch file": {shell.ProfileWorkspace},
		`f=$(mktemp) && echo x > "$f" && [ "${f#"$TMPDIR"/}" != "$f" ]`:                 {shell.ProfileReadOnly, shell.ProfileWorkspace},
		"echo x > /dev/null && head -c 5 /dev/urandom | wc -c && echo a | cat - >&2":    {shell.ProfileReadOnly, shell.ProfileWorkspace},
		"ls /usr/bin > /dev/null && cat /etc/passwd > /dev/null && cat /proc/self/stat": {shell.ProfileReadOnly, shell.ProfileWorkspace},
		"ulimit -a && ulimit -n 100":                             {shell.ProfileReadOnly, shell.ProfileWorkspace},
		"(sleep 0.01; exit 3) & wait $!; [ $? = 3 ]; kill -0 $$": {shell.ProfileReadOnly, shell.ProfileWorkspace},
	} {
		for _, profile := range []shell.Profile{shell.ProfileReadOnly, shell.ProfileWorkspace, shell.ProfileOff} {
			tool := newTool(t)
			tool.Sandbox.Profile = profile
			_, got := run(t, tool, line)
			if want := profile == shell.ProfileOff || slices.Contains(profiles, profile); (got.ExitCode == 0) != want && profile != shell.ProfileOff {
				t.Errorf("%s: %s: exit code %d, %s", profile, line, got.ExitCode, got.Stderr)
			}
		}
	}
}

// TestSandboxRules: network, further paths, and a requirement.
func TestSandboxRules(t *testing.T) {
	t.Parallel()
	outside := plant(t)
	tool := newTool(t)
	tool.Sandbox.Network = sandbox.NetworkFull
	if got := inside(t, tool, "UDP", outside, false); got.ExitCode != 0 {
		t.Errorf("with a network: %s", got.Stdout)
	}
	for _, name := range []string{"a socket by its path", "an abstract socket", "raw packets"} {
		if got := inside(t, tool, name, outside, false); got.ExitCode != 33 {
			t.Errorf("%s, with a network: %s", name, got.Stdout)
		}
	}
	tool = newTool(t)
	tool.Sandbox.Read = []string{filepath.Join(outside, "key"), filepath.Join(outside, "nowhere")}
	tool.Sandbox.Write = []string{filepath.Join(outside, "home")}
	_, got := run(t, tool, "cat "+outside+"/key && echo x > "+outside+"/home/new && ! echo x > "+outside+"/key")
	if got.ExitCode != 0 || got.Stdout != "secret" {
		t.Errorf("further paths: %+v", got)
	}
	for _, bad := range []shell.Sandbox{{Profile: "loose"}, {Read: []string{"relative"}}, {Write: []string{""}}, {Profile: shell.ProfileOff, Require: true}} {
		tool := newTool(t)
		tool.Sandbox = bad
		if err := tool.Validate(); err == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
	// A requirement holds or refuses, as the measures say.
	tool = newTool(t)
	whole := true
	for _, m := range tool.Confinement() {
		whole = whole && m.Gap == ""
	}
	tool.Sandbox.Require = true
	result, got := run(t, tool, "echo ran")
	if whole != (got.Stdout == "ran\n") || !whole && result.Outcome != hostapi.OutcomeNotStarted {
		t.Errorf("whole %t: %+v, %+v", whole, result, got)
	}
}

// TestDescriptors: a command has its three streams and nothing that the host
// was given.
func TestDescriptors(t *testing.T) { //nolint:paralleltest // it opens what other tests would inherit
	var leak [2]int
	if err := syscall.Pipe(leak[:]); err != nil { // without close-on-exec, as a careless parent does
		t.Fatal(err)
	}
	defer func() { _, _ = syscall.Close(leak[0]), syscall.Close(leak[1]) }()
	for _, profile := range []shell.Profile{shell.ProfileWorkspace, shell.ProfileOff} {
		tool := newTool(t)
		tool.Sandbox.Profile = profile
		if _, got := run(t, tool, "echo /proc/self/fd/*"); got.Stdout != "/proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2 /proc/self/fd/3\n" {
			t.Errorf("%s: %q", profile, got.Stdout) // 3 is the folder that is being read
		}
	}
}

// TestSandboxAroundHome: a workspace that holds the home folder does not give
// away the keys in it, where the host may mount; elsewhere the measures say so.
func TestSandboxAroundHome(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, name := range []string{".ssh/id", ".netrc", "notes"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(home, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, name), []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tool := newTool(t)
	tool.Dir = home
	kept := false
	for _, m := range tool.Confinement() {
		kept = kept || m.Name == "files" && m.Gap == ""
	}
	_, got := run(t, tool, "cat .ssh/id .netrc; ls -A .ssh; rm -r .ssh .netrc; mv .ssh ssh; cat ssh/id; cat notes; echo > new")
	if kept && got.Stdout != "secret" || !kept && !strings.Contains(got.Stdout, "secretsecret") {
		t.Errorf("kept %t: %+v", kept, got)
	}
	if text, err := os.ReadFile(filepath.Join(home, ".ssh/id")); kept && (err != nil || string(text) != "secret") {
		t.Errorf("%q, %v", text, err)
	}
	// Somebody outside replaces one and makes another, as programs do.
	for _, name := range []string{".netrc", ".npmrc"} {
		if err := os.WriteFile(filepath.Join(home, "saved"), []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(home, "saved"), filepath.Join(home, name)); err != nil {
			t.Fatal(err)
		}
	}
	if _, got := run(t, tool, "cat .netrc .npmrc"); kept && got.Stdout != "" {
		t.Errorf("after they were replaced: %+v", got)
	}
}

// TestSandboxInTheHost: threads that start commands are inside, and nothing
// else of the host is.
func TestSandboxInTheHost(t *testing.T) {
	t.Parallel()
	tool, outside := newTool(t), plant(t)
	var running sync.WaitGroup
	for i := range 200 {
		running.Go(func() {
			if i%4 == 0 {
				if _, got := run(t, tool, "true"); got.ExitCode != 0 {
					t.Errorf("exit code %d", got.ExitCode)
				}
			}
			if err := os.WriteFile(filepath.Join(outside, strings.Repeat("x", i+1)), nil, 0o600); err != nil {
				t.Errorf("the host cannot write: %v", err)
			}
		})
	}
	running.Wait()
}
