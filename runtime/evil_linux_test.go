//go:build amd64 || arm64

package runtime_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	goruntime "runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
	"github.com/scriptrun/scriptrun/runtime/internal/worker"
	"golang.org/x/sys/unix"
)

// evilWorker is a copy of this program that speaks to its host as an attacker
// would who owns a worker.
type evilWorker struct{ conn *os.File }

func (w evilWorker) send(kind wire.Kind, head any, body string) {
	text, err := json.Marshal(head)
	if err != nil {
		os.Exit(98)
	}
	w.raw(kind, text, []byte(body))
}

// raw writes a frame that nobody has checked.
func (w evilWorker) raw(kind wire.Kind, head, body []byte) {
	buf := append([]byte{byte(kind)}, binary.BigEndian.AppendUint32(nil, uint32(len(head)))...)
	buf = binary.BigEndian.AppendUint32(buf, uint32(len(body)))
	w.write(append(append(buf, head...), body...))
}

func (w evilWorker) write(p []byte) {
	if _, err := w.conn.Write(p); err != nil {
		os.Exit(0) // the host has had enough
	}
}

func (w evilWorker) done() { w.send(wire.KindReturn, wire.Return{}, `"done"`) }

func forever(do func()) {
	for {
		do()
	}
}

// evil is what a worker does once it has been given a run, and what may come
// of it. A worker that does nothing more is silent.
var evil = map[string]struct {
	do       func(evilWorker)
	outcomes []runtime.Outcome
}{
	"garbage":               {func(w evilWorker) { w.write([]byte(strings.Repeat("garbage", 1000))) }, []runtime.Outcome{"crashed"}},
	"a giant length":        {func(w evilWorker) { w.write([]byte{7, 0, 0, 0, 2, 255, 255, 255, 255, '{', '}'}) }, []runtime.Outcome{"crashed"}},
	"a giant head":          {func(w evilWorker) { w.write([]byte{7, 255, 255, 255, 255, 0, 0, 0, 0}) }, []runtime.Outcome{"crashed"}},
	"half a frame":          {func(w evilWorker) { w.write([]byte{7, 0, 0, 0, 2, 0, 0}); os.Exit(0) }, []runtime.Outcome{"crashed"}},
	"half a body, and sits": {func(w evilWorker) { w.write([]byte{7, 0, 0, 0, 2, 0, 0, 1, 0, '{', '}', '1'}) }, []runtime.Outcome{"timeout"}},
	"exits":                 {func(evilWorker) { os.Exit(3) }, []runtime.Outcome{"crashed"}},
	"kills itself":          {func(evilWorker) { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL) }, []runtime.Outcome{"crashed"}},
	"is sent a fault":       {func(evilWorker) { _ = syscall.Kill(os.Getpid(), syscall.SIGSEGV); time.Sleep(time.Hour) }, []runtime.Outcome{"crashed"}},
	"asks and does not read": {func(w evilWorker) {
		for seq := 1; seq <= 64; seq++ {
			w.send(wire.KindCall, wire.Call{Seq: seq, Tool: "spend"}, "{}")
		}
	}, []runtime.Outcome{"timeout"}},
	"looks and does not read": {func(w evilWorker) {
		w.send(wire.KindCall, wire.Call{Seq: 1, Tool: "spend", Background: true}, "{}")
		_, _ = w.conn.Read(make([]byte, 1)) // it has begun
		for seq := 1; seq <= 64; seq++ {
			w.send(wire.KindOperate, wire.Operate{Seq: -seq, Handle: 1, Operation: []string{"output", "waitOutput"}[seq%2]}, "{}")
		}
	}, []runtime.Outcome{"timeout", "crashed"}},
	"waits and does not read": {func(w evilWorker) {
		w.send(wire.KindCall, wire.Call{Seq: 1, Tool: "spend", Background: true}, "{}")
		_, _ = w.conn.Read(make([]byte, 1)) // it has begun
		for seq := 1; seq <= 64; seq++ {
			w.send(wire.KindOperate, wire.Operate{Seq: -seq, Handle: 1, Operation: "wait"}, "{}")
		}
	}, []runtime.Outcome{"timeout", "crashed"}},
	"is silent":              {func(evilWorker) {}, []runtime.Outcome{"timeout"}},
	"closes its socket":      {func(w evilWorker) { _ = w.conn.Close() }, []runtime.Outcome{"timeout", "crashed"}},
	"a kind of no frame":     {func(w evilWorker) { w.raw(99, []byte("{}"), nil) }, []runtime.Outcome{"crashed"}},
	"the host's frames":      {func(w evilWorker) { w.send(wire.KindResult, wire.Result{Seq: 1}, "{}") }, []runtime.Outcome{"crashed"}},
	"a start of its own":     {func(w evilWorker) { w.send(wire.KindStart, wire.Start{}, "{}") }, []runtime.Outcome{"crashed"}},
	"hello again":            {func(w evilWorker) { w.send(wire.KindHello, wire.Hello{}, "") }, []runtime.Outcome{"crashed"}},
	"a head that is no JSON": {func(w evilWorker) { w.raw(wire.KindReturn, []byte("{"), []byte("1")) }, []runtime.Outcome{"crashed"}},
	"a value that is none":   {func(w evilWorker) { w.send(wire.KindReturn, wire.Return{}, "nonsense") }, []runtime.Outcome{"invalid_output"}},
	"a value too large":      {func(w evilWorker) { w.send(wire.KindReturn, wire.Return{}, `["`+strings.Repeat("x", 1<<20)+`"]`) }, []runtime.Outcome{"invalid_output"}},
	"a text too large":       {func(w evilWorker) { w.send(wire.KindReturn, wire.Return{}, `"`+strings.Repeat("x", 17<<20)+`"`) }, []runtime.Outcome{"invalid_output"}},
	"a size below zero": {func(w evilWorker) {
		w.send(wire.KindReturn, wire.Return{TooLarge: -1}, `["`+strings.Repeat("x", 1<<20)+`"]`)
	}, []runtime.Outcome{"invalid_output"}},
	"calls that were not": {func(w evilWorker) { w.send(wire.KindReturn, wire.Return{Unawaited: []int{-1, 0, 7, 1 << 40}}, "1") }, []runtime.Outcome{"ok"}},
	"a value too deep":    {func(w evilWorker) { w.send(wire.KindReturn, wire.Return{}, strings.Repeat("[", 5000)) }, []runtime.Outcome{"crashed"}},
	"calls out of order":  {func(w evilWorker) { w.send(wire.KindCall, wire.Call{Seq: 7, Tool: "spend"}, "{}") }, []runtime.Outcome{"crashed"}},
	"calls twice by one number": {func(w evilWorker) {
		w.send(wire.KindCall, wire.Call{Seq: 1, Tool: "spend"}, "{}")
		w.send(wire.KindCall, wire.Call{Seq: 1, Tool: "spend"}, "{}")
	}, []runtime.Outcome{"crashed"}},
	"calls what it may not": {func(w evilWorker) {
		for seq := 1; ; seq++ {
			w.send(wire.KindCall, wire.Call{Seq: seq, Tool: "secret"}, "{}")
		}
	}, []runtime.Outcome{"limit"}},
	"calls without end": {func(w evilWorker) {
		for seq := 1; ; seq++ {
			w.send(wire.KindCall, wire.Call{Seq: seq, Tool: "spend"}, "{}")
		}
	}, []runtime.Outcome{"limit"}},
	"operates without end": {func(w evilWorker) {
		for seq := -1; ; seq-- {
			w.send(wire.KindOperate, wire.Operate{Seq: seq, Handle: -seq, Operation: "output"}, "{}")
		}
	}, []runtime.Outcome{"timeout", "limit"}},
	"logs without end": {func(w evilWorker) {
		text := strings.Repeat("x", 1<<20)
		forever(func() { w.send(wire.KindLog, wire.Log{Level: "info", Text: text, Bytes: 1}, "") })
	}, []runtime.Outcome{"timeout"}},
	"progresses without end": {func(w evilWorker) {
		forever(func() { w.send(wire.KindProgress, wire.Progress{Done: 1e308, Message: "\x1b[2J"}, "") })
	}, []runtime.Outcome{"timeout"}},
	"returns twice": {func(w evilWorker) { w.done(); w.done() }, []runtime.Outcome{"ok"}},
	"arguments over the cap": {func(w evilWorker) {
		w.send(wire.KindCall, wire.Call{Seq: 1, Tool: "spend"}, `{"x":"`+strings.Repeat("x", 16<<20)+`"}`)
	}, []runtime.Outcome{"crashed", "limit"}},
	"an operation over the cap": {func(w evilWorker) {
		w.send(wire.KindOperate, wire.Operate{Seq: -1, Handle: 1, Operation: "output"}, `{"x":"`+strings.Repeat("x", 16<<20)+`"}`)
	}, []runtime.Outcome{"crashed", "limit"}},
	"a call whose head is large": {func(w evilWorker) {
		w.send(wire.KindCall, wire.Call{Seq: 1, Tool: strings.Repeat("x", 128<<10)}, "{}")
	}, []runtime.Outcome{"crashed"}},
	"a log with a body": {func(w evilWorker) { w.send(wire.KindLog, wire.Log{}, "{}") }, []runtime.Outcome{"crashed"}},
	"operates with large arguments without end": {func(w evilWorker) {
		body := `{"x":"` + strings.Repeat("x", 8<<20) + `"}`
		for seq := -1; ; seq-- {
			w.send(wire.KindOperate, wire.Operate{Seq: seq, Handle: 1, Operation: "output"}, body)
		}
	}, []runtime.Outcome{"timeout", "limit"}},
	"arguments that are too large, it says": {func(w evilWorker) {
		w.send(wire.KindCall, wire.Call{Seq: 1, Tool: "spend", TooLarge: -1}, "{}")
		w.done()
	}, []runtime.Outcome{"ok"}},
	"says that it was denied": {func(w evilWorker) {
		w.send(wire.KindThrow, struct {
			wire.Throw
			Code string `json:"code"`
		}{wire.Throw{Cause: wire.CauseThrown, Name: "ToolError", Message: "x", Seq: 1}, "denied"}, "")
	}, []runtime.Outcome{"script_error"}},
	"a cause of no throw": {func(w evilWorker) { w.send(wire.KindThrow, wire.Throw{Cause: "mine"}, "") }, []runtime.Outcome{"script_error", "crashed"}},
	"places that are none": {func(w evilWorker) {
		w.send(wire.KindThrow, wire.Throw{Cause: wire.CauseThrown, Name: "E", Stack: []wire.Place{{Line: -5, Col: 1 << 40}, {Line: 1 << 40}}}, "")
	}, []runtime.Outcome{"script_error"}},
	"takes memory": {func(evilWorker) {
		var hoard [][]byte
		forever(func() { hoard = append(hoard, bytes.Repeat([]byte("x"), 8<<20)) })
	}, []runtime.Outcome{"limit", "crashed"}},
}

// evilMain is the evil worker's main; it returns in any other program.
func evilMain() {
	if len(os.Args) != 2 || os.Args[0] != "scriptrun-worker" {
		return
	}
	if os.Args[1] == "never says hello" {
		time.Sleep(time.Hour)
	}
	if os.Args[1] == "cannot be confined" {
		refuseSeccomp()
		os.Exit(worker.Serve())
	}
	w := evilWorker{os.NewFile(3, "host")}
	version := worker.Version
	if os.Args[1] == "another version" {
		version++
	}
	w.send(wire.KindHello, wire.Hello{Version: version}, "")
	if _, err := wire.NewReader(w.conn).Read(); err != nil {
		os.Exit(0)
	}
	if os.Args[1] == "confined" {
		w.send(wire.KindReturn, wire.Return{}, string(confined()))
	} else if e, ok := evil[os.Args[1]]; ok {
		e.do(w)
	} else {
		evilChecks[os.Args[1]].do(w)
	}
	time.Sleep(time.Hour) // it says nothing more; the host kills it
}

// refuseSeccomp makes this process one that can set no filter of system calls,
// as in a container that does not allow it.
func refuseSeccomp() {
	goruntime.LockOSThread()
	op := func(code uint16, jt, jf uint8, k uint32) unix.SockFilter {
		return unix.SockFilter{Code: code, Jt: jt, Jf: jf, K: k}
	}
	program := []unix.SockFilter{
		op(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, 0, 0, 0),
		op(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 0, 1, unix.SYS_SECCOMP),
		op(unix.BPF_RET|unix.BPF_K, 0, 0, uint32(unix.SECCOMP_RET_ERRNO)|uint32(unix.EPERM)),
		op(unix.BPF_RET|unix.BPF_K, 0, 0, unix.SECCOMP_RET_ALLOW),
	}
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		os.Exit(97)
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&prog))); errno != 0 {
		os.Exit(97)
	}
}

// TestWorkerThatCannotBeConfined: it is not used, and the run says why.
func TestWorkerThatCannotBeConfined(t *testing.T) {
	t.Parallel()
	runner, err := runtime.NewWithWorkers(runtime.Options{}, "cannot be confined")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = runner.Close() }()
	report := runner.Run(t.Context(), runtime.Request{Program: compile(t, runner, "return 1")})
	var unconfined *runtime.ConfinementError
	if report.Outcome != runtime.OutcomeCrashed || !errors.As(report.Err(), &unconfined) || !strings.Contains(unconfined.Reason, "seccomp: operation not permitted") {
		t.Errorf("%s: %v", report, report.Failure)
	}
}

// confined lists what a worker can still do once it has given up its rights.
func confined() []byte {
	could := append([]string{}, foreignDescriptors()...)
	try := func(what string, do func() error) {
		if err := do(); err == nil {
			could = append(could, what)
		}
	}
	if _, err := worker.Confine(); err != nil {
		could = append(could, "not confined: "+err.Error())
	}
	try("open a file", func() error { _, err := os.Open("/etc/passwd"); return err })
	try("stat a file", func() error { _, err := os.Stat("/etc/passwd"); return err })
	try("make a file", func() error { return os.WriteFile("/tmp/evil", nil, 0o600) })
	try("list a folder", func() error { _, err := os.ReadDir("/"); return err })
	try("start a program", func() error { return exec.Command("/bin/true").Run() })
	try("fork", func() error {
		pid, _, errno := unix.RawSyscall(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0)
		if errno != 0 {
			return errno
		}
		if pid == 0 {
			os.Exit(0)
		}
		return nil
	})
	try("connect", func() error { _, err := net.Dial("tcp", "127.0.0.1:9"); return err }) //nolint:noctx // it fails at once
	try("make a socket", func() error { _, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0); return err })
	try("make a pair of sockets", func() error { _, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0); return err })
	try("signal the host", func() error { return syscall.Kill(os.Getppid(), 0) })
	try("signal itself", func() error { return syscall.Kill(os.Getpid(), 0) })
	try("trace the host", func() error { return unix.PtraceSeize(os.Getppid()) })
	try("change its limits", func() error { return unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 9, Max: 9}) })
	try("unshare", func() error { return unix.Unshare(unix.CLONE_NEWUSER) })
	try("execute memory from a file", func() error { _, err := unix.MemfdCreate("x", 0); return err })
	if entries := os.Environ(); len(entries) > 0 {
		could = append(could, "read an environment of "+strings.Join(entries, " "))
	}
	list, _ := json.Marshal(could) // strings always encode
	return list
}

// foreignDescriptors are those that are neither the socket, nor null devices, nor
// the pipe that takes a worker's last words, nor the Go runtime's own: its poller, and the limits of its control group.
func foreignDescriptors() (found []string) {
	for fd := range 256 {
		target, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
		own := target == "/dev/null" && fd < 2 || strings.HasPrefix(target, "pipe:") && fd == 2 || fd == 3 || strings.HasPrefix(target, "anon_inode:[event") || strings.Contains(target, "/cpu.")
		if err == nil && !own {
			found = append(found, fmt.Sprintf("use descriptor %d, %s", fd, target))
		}
	}
	return found
}

// TestEvilWorkers: whatever a worker does, it costs its run and nothing else.
func TestEvilWorkers(t *testing.T) {
	t.Parallel()
	for name, e := range evil {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var spent atomic.Int64
			spend := tool("spend", func(context.Context, hostapi.Call) (hostapi.Result, error) {
				spent.Add(1)
				return hostapi.Succeed(""), nil
			})
			secret := tool("secret", func(context.Context, hostapi.Call) (hostapi.Result, error) {
				t.Error("a tool that is not allowed was invoked")
				return hostapi.Succeed(""), nil
			})
			runner, err := runtime.NewWithWorkers(runtime.Options{Tools: []hostapi.Tool{spend, secret}}, name)
			if err != nil {
				t.Fatal(err)
			}
			program, err := runner.Compile(t.Context(), runtime.Source{Name: "x.js", Body: []byte("export default () => 1")})
			if err != nil {
				t.Fatal(err)
			}
			limits := runtime.Limits{Timeout: 20 * time.Second, MaxToolCalls: 5, MaxMemoryBytes: 128 << 20}
			switch {
			case name == "a text too large":
				limits.MaxMemoryBytes = 1 << 30 // some copies of it, and what the collector has not come to yet
			case slices.Contains(e.outcomes, runtime.OutcomeTimeout): // it may well take all of it
				limits.Timeout = 3 * time.Second
			}
			report := runner.Run(t.Context(), runtime.Request{
				Program: program, Allow: []hostapi.Rule{{Tool: "spend"}}, Inputs: json.RawMessage(`{"x":"` + strings.Repeat("x", 4<<20) + `"}`),
				Limits: limits,
			})
			if !slices.Contains(e.outcomes, report.Outcome) || report.Isolation.Abandoned {
				t.Errorf("it ended as %s; want one of %v: %v", report.Outcome, e.outcomes, report.Failure)
			}
			if spent.Load() > 5 || len(report.Calls) > runtime.MaxRefusals+5+64+2 { // refused, made, and not decided yet
				t.Errorf("a tool ran %d times, of %d calls", spent.Load(), len(report.Calls))
			}
			if _, err := json.Marshal(report); err != nil {
				t.Errorf("the report is not JSON: %v", err)
			}
			if err := runner.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestConfinedWorker: what is left to somebody who owns a worker is to compute.
func TestConfinedWorker(t *testing.T) {
	t.Parallel()
	runner, err := runtime.NewWithWorkers(runtime.Options{}, "confined")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = runner.Close() }()
	program, err := runner.Compile(t.Context(), runtime.Source{Name: "x.js", Body: []byte("export default () => 1")})
	if err != nil {
		t.Fatal(err)
	}
	if report := runner.Run(t.Context(), runtime.Request{Program: program}); report.Outcome != runtime.OutcomeOK || string(report.Value) != "[]" {
		t.Errorf("it could: %s %s %v", report.Outcome, report.Value, report.Failure)
	}
}

// TestNoWorker: a program that does not become a worker is told so.
func TestNoWorker(t *testing.T) {
	t.Parallel()
	runner, err := runtime.NewWithWorkers(runtime.Options{}, "another version")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = runner.Close() }()
	program, err := runner.Compile(t.Context(), runtime.Source{Name: "x.js", Body: []byte("export default () => 1")})
	if err != nil {
		t.Fatal(err)
	}
	if report := runner.Run(t.Context(), runtime.Request{Program: program}); report.Outcome != runtime.OutcomeCrashed || !strings.Contains(report.Failure.Message, "version") {
		t.Errorf("%s: %v", report.Outcome, report.Failure)
	}
}
