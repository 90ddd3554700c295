package sandbox_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"unsafe"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"golang.org/x/sys/unix"
)

// assaults is set in a copy of this program that runs as a command and sends
// signals to all of its holder.
const assaults = "SANDBOX_TEST_ASSAULTS"

// assault sends signals to each thread of the parent, in every possible way.
func assault() {
	parent := os.Getppid()
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", parent)) // the pattern is a good one
	for _, thread := range threads {
		tid, _ := strconv.Atoi(filepath.Base(thread)) // the kernel writes numbers
		for _, signal := range []unix.Signal{
			unix.SIGURG, unix.SIGIO, unix.SIGCHLD, unix.SIGTERM, unix.SIGHUP, unix.SIGPIPE, 34, 64, unix.SIGSYS, unix.SIGTRAP,
			unix.SIGFPE, unix.SIGBUS, unix.SIGABRT, unix.SIGSEGV, unix.SIGILL, unix.SIGTSTP, unix.SIGSTOP, unix.SIGKILL,
		} {
			signalAll(parent, tid, signal)
		}
	}
	fmt.Println("done", len(threads) > 1)
}

// signalAll sends one signal to one thread.
func signalAll(parent, tid int, signal unix.Signal) {
	info := [16]uint64{uint64(signal), 0xffffffff} // si_signo; si_code is SI_QUEUE
	at := uintptr(unsafe.Pointer(&info))
	_ = unix.Tgkill(parent, tid, signal)
	_ = unix.Kill(tid, signal)
	_, _, _ = unix.RawSyscall(unix.SYS_TKILL, uintptr(tid), uintptr(signal), 0)
	_, _, _ = unix.RawSyscall(unix.SYS_RT_SIGQUEUEINFO, uintptr(tid), uintptr(signal), at)
	_, _, _ = unix.RawSyscall6(unix.SYS_RT_TGSIGQUEUEINFO, uintptr(parent), uintptr(tid), uintptr(signal), at, 0, 0)
	byThread, err := unix.PidfdOpen(tid, unix.O_EXCL) // PIDFD_THREAD
	if err == nil {
		_ = unix.PidfdSendSignal(byThread, signal, nil, 0)
		_ = unix.Close(byThread)
	}
	if folder, err := unix.Open("/proc/"+strconv.Itoa(tid), unix.O_RDONLY|unix.O_DIRECTORY, 0); err == nil {
		_ = unix.PidfdSendSignal(folder, signal, nil, 0)
		_ = unix.Close(folder)
	}
	var pair [2]int
	if unix.Pipe(pair[:]) != nil {
		return
	}
	owner := [2]int32{0, int32(tid)} // F_OWNER_TID
	_, _, _ = unix.RawSyscall(unix.SYS_FCNTL, uintptr(pair[0]), unix.F_SETOWN_EX, uintptr(unsafe.Pointer(&owner)))
	_, _ = unix.FcntlInt(uintptr(pair[0]), unix.F_SETSIG, int(signal))
	_, _ = unix.FcntlInt(uintptr(pair[0]), unix.F_SETFL, unix.O_ASYNC)
	_, _ = unix.Write(pair[1], []byte("x"))
	_ = unix.Close(pair[0])
	_ = unix.Close(pair[1])
}

// TestNoSignalReachesTheHolder: a command can neither end nor stop the process that other
// commands depend on.
func TestNoSignalReachesTheHolder(t *testing.T) {
	t.Parallel()
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	for spaces, start := range openers() {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "assault"), self, 0o700); err != nil { //nolint:gosec // it is run
			t.Fatal(err)
		}
		box, err := start(sandbox.Policy{Workspace: dir, Path: os.Getenv("PATH"), Home: os.Getenv("HOME")})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(box.Close)
		innocent, read := begin(t, box, dir, "while [ ! -e over ]; do sleep 0.01; done; echo innocent")
		got := line(t, box, dir, assaults+"=1 exec ./assault")
		if err := os.WriteFile(filepath.Join(dir, "over"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		<-innocent.Exited()
		innocent.End(0)
		if out := read(); got.out != "done true\n" || out != "innocent\n" || !box.Alive() {
			t.Errorf("namespaces: %s: %+v, the other command: %q, alive: %t", spaces, got, out, box.Alive())
			continue
		}
		if got := line(t, box, dir, "echo on; (sleep 100 & kill -TERM $!; wait $!; echo $?) 2>/dev/null"); got.out != "on\n143\n" {
			t.Errorf("namespaces: %s: after it: %+v", spaces, got)
		}
		box.Close()
	}
}
