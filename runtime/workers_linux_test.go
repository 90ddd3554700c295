//go:build amd64 || arm64

package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
)

// manyRuns is how many runs must leave nothing behind.
var manyRuns = flag.Int("workers.runs", 500, "how many runs must leave nothing behind; 10000 before a release")

// TestWorkerUsage: what a worker used is measured from outside.
func TestWorkerUsage(t *testing.T) {
	t.Parallel()
	runner := workers(t, runtime.Options{})
	report := runner.Run(t.Context(), runtime.Request{Program: compiled(t, runner,
		"const keep = []; for (let i = 0; i < 20; i++) keep.push(new Uint8Array(1 << 20).fill(i)); const end = Date.now() + 60; while (Date.now() < end); return keep.length")})
	u := report.Usage
	if report.Outcome != runtime.OutcomeOK || u.CPU < 30*time.Millisecond || u.PeakMemoryBytes < 20<<20 || report.Isolation.Cell != "worker" || len(report.Isolation.Confinement) == 0 {
		t.Errorf("%s: %+v in %+v", report, u, report.Isolation)
	}
}

// TestWorkerIsFreshEachRun: what a run leaves in its world is not there in the
// next, in the same process.
func TestWorkerIsFreshEachRun(t *testing.T) {
	t.Parallel()
	runner := workers(t, runtime.Options{})
	program := compiled(t, runner, "const had = globalThis.mark; globalThis.mark = 1; return [had === undefined, inputs.n]")
	for n := range 20 {
		inputs, err := json.Marshal(map[string]int{"n": n})
		if err != nil {
			t.Fatal(err)
		}
		report := runner.Run(t.Context(), runtime.Request{Program: program, Inputs: inputs})
		if want := "[true," + string(inputs[5:len(inputs)-1]) + "]"; string(report.Value) != want {
			t.Errorf("run %d: %s, %s", n, report.Value, report)
		}
	}
}

// TestWorkerThatComputed: what comes for a run while it computes is there when
// it waits, and the next runs are as the first.
func TestWorkerThatComputed(t *testing.T) {
	t.Parallel()
	runner := workers(t, runtime.Options{Tools: []hostapi.Tool{echoTool}, MaxWorkers: 1})
	request := runtime.Request{Allow: []hostapi.Rule{{Tool: "echo"}}, Program: compiled(t, runner, `
		const begun = Date.now();
		const before = [0, 1, 2].map((i) => ctx.tool("echo", { i }));
		let rounds = 0;
		while (Date.now() < begun + inputs.ms) rounds++;
		for (const call of before) await call;
		await new Promise((done) => setTimeout(done, 2));
		const all = [];
		for (let i = 0; i < 3; i++) all.push((await ctx.tool("echo", { i })).data.i);
		return all`)}
	for i, inputs := range []string{`{"ms":0}`, `{"ms":15}`, `{"ms":0}`, `{"ms":60}`, `{"ms":0}`, `{"ms":15}`} {
		request.Inputs = json.RawMessage(inputs)
		if report := runner.Run(t.Context(), request); string(report.Value) != "[0,1,2]" {
			t.Errorf("run %d: %s: %s", i, report, report.Value)
		}
	}
}

// TestKilledWorkers: one that is killed while it waits for work is no run's
// misfortune.
func TestKilledWorkers(t *testing.T) { //nolint:paralleltest // it kills all children of this process
	runner := workers(t, runtime.Options{})
	program := compiled(t, runner, "return 1")
	for range 5 {
		if report := runner.Run(t.Context(), runtime.Request{Program: program}); report.Outcome != runtime.OutcomeOK {
			t.Fatal(report, report.Failure)
		}
		killed := children(t)
		for _, stat := range killed {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(stat)))
			if err != nil {
				t.Fatal(err)
			}
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
				t.Fatal(err)
			}
		}
		left := func(stat string) bool { return slices.Contains(killed, stat) }
		for slices.ContainsFunc(children(t), left) { // until they are dead; the host may have heard of it or not
			time.Sleep(time.Millisecond) // nothing tells
		}
	}
}

// TestManyTools: each has a worker of its own, and they do not pile up.
func TestManyTools(t *testing.T) { //nolint:paralleltest // as above
	runner := workers(t, runtime.Options{MaxWorkers: 4})
	for n := range 30 {
		if report := runner.Run(t.Context(), runtime.Request{Program: compiled(t, runner, "return "+strconv.Itoa(n))}); report.Outcome != runtime.OutcomeOK {
			t.Fatal(report)
		}
		if now := len(children(t)); now > 12 {
			t.Fatalf("%d workers", now)
		}
	}
}

// TestManyRuns: many runs leave no growth in descriptors, processes or memory.
func TestManyRuns(t *testing.T) { //nolint:paralleltest // the whole process is looked at
	descriptors := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	runner, err := runtime.New(runtime.Options{Tools: []hostapi.Tool{echoTool}})
	if err != nil {
		t.Fatal(err)
	}
	program := compiled(t, runner, "return (await ctx.tool('echo')).exitCode")
	run := func(n int) {
		for range n {
			if report := runner.Run(context.Background(), runtime.Request{Program: program, Allow: []hostapi.Rule{{Tool: "echo"}}}); report.Outcome != runtime.OutcomeOK {
				t.Fatal(report)
			}
		}
	}
	run(100)
	files, processes, memory := descriptors(), len(children(t)), resident(t)
	run(*manyRuns)
	if now := descriptors(); now > files+4 {
		t.Errorf("%d descriptors, %d before", now, files)
	}
	if now := len(children(t)); now > processes+2 {
		t.Errorf("%d processes, %d before", now, processes)
	}
	if now := resident(t); now > memory+32<<20 {
		t.Errorf("%d MB, %d before", now>>20, memory>>20)
	}
	if err := runner.Close(); err != nil {
		t.Error(err)
	}
	if left := children(t); len(left) > 0 {
		t.Errorf("processes are left: %q", left)
	}
}

// TestTooManyRuns: runs wait for a worker, and too many are told so.
func TestTooManyRuns(t *testing.T) {
	t.Parallel()
	runner := workers(t, runtime.Options{Tools: []hostapi.Tool{waitTool}, MaxWorkers: 2})
	program := compiled(t, runner, "await ctx.tool('wait')")
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	ended := make(chan runtime.Outcome, 400)
	for range 400 {
		running.Go(func() {
			report := runner.Run(ctx, runtime.Request{Program: program, Allow: []hostapi.Rule{{Tool: "wait"}}})
			if report.Outcome == runtime.OutcomeLimit && report.Limit != runtime.LimitWorkers {
				t.Error(report)
			}
			ended <- report.Outcome
		})
	}
	counts := map[runtime.Outcome]int{}
	for range 400 - 2 - 256 {
		counts[<-ended]++
	}
	if counts[runtime.OutcomeLimit] != 400-2-256 {
		t.Errorf("%v were refused", counts)
	}
	cancel()
	running.Wait()
}

// BenchmarkWorker is a run without calls in a worker that has run the program,
// with a new realm, and one with a call.
func BenchmarkWorker(b *testing.B) {
	for name, body := range map[string]string{"none": "return 1", "one-call": "await ctx.tool('echo'); return 1",
		"100-calls": "for (let i = 0; i < 100; i++) await ctx.tool('echo'); return 1"} {
		b.Run(name, func(b *testing.B) {
			runner := workers(b, runtime.Options{Tools: []hostapi.Tool{echoTool}})
			program := compiled(b, runner, body)
			request := runtime.Request{Program: program, Allow: []hostapi.Rule{{Tool: "echo"}}, Limits: runtime.Limits{MaxToolCalls: 100}}
			for b.Loop() {
				if report := runner.Run(b.Context(), request); report.Outcome != runtime.OutcomeOK {
					b.Fatal(report)
				}
			}
		})
	}
	b.Run("parallel", func(b *testing.B) {
		runner := workers(b, runtime.Options{})
		program := compiled(b, runner, "return 1")
		b.SetParallelism(4)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if report := runner.Run(b.Context(), runtime.Request{Program: program}); report.Outcome != runtime.OutcomeOK {
					b.Fatal(report)
				}
			}
		})
	})
}

// TestReplacedProgram: a host goes on when its file is gone, as it is when the
// next version is installed.
func TestReplacedProgram(t *testing.T) { //nolint:paralleltest // what another test starts would keep the new file open for writing
	const removed = "SCRIPTRUN_TEST_REMOVED"
	if path := os.Getenv(removed); path != "" {
		runner := workers(t, runtime.Options{})
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		for n := range 3 {
			if report := runner.Run(t.Context(), runtime.Request{Program: compiled(t, runner, "return "+strconv.Itoa(n))}); string(report.Value) != strconv.Itoa(n) || report.Isolation.Cell != "worker" {
				t.Error(report, report.Failure)
			}
		}
		return
	}
	binary, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, binary, 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, "-test.run", "^TestReplacedProgram$")
	cmd.Env = append(os.Environ(), removed+"="+path)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("it was not removed: %v", err)
	}
}

// TestLargeValuesWaitForRoom: a large value stays in its worker until there is room
// for it, within the run's time, and a small one does not ask.
func TestLargeValuesWaitForRoom(t *testing.T) {
	t.Parallel()
	runner := workers(t, runtime.Options{})
	source := func(n int) *runtime.Source {
		return &runtime.Source{Name: "x.js", FunctionBody: true, Body: fmt.Appendf(nil, "return 'y'.repeat(%d)", n)}
	}
	limits := runtime.Limits{MaxOutputBytes: 16 << 20, Timeout: 5 * time.Minute}
	asked := make(chan int64, 10)
	let := make(chan struct{})
	room := func(ctx context.Context, bytes int64) error {
		asked <- bytes
		select {
		case <-let:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	reports := make(chan *runtime.Report)
	go func() {
		reports <- runner.Run(t.Context(), runtime.Request{Source: source(5_000_000), Limits: limits, Room: room})
	}()
	if bytes := <-asked; bytes != 5_000_002 {
		t.Errorf("it asked for %d bytes", bytes)
	}
	let <- struct{}{}
	if report := <-reports; report.Outcome != runtime.OutcomeOK || len(report.Value) != 5_000_002 {
		t.Errorf("%s, %d bytes", report.Outcome, len(report.Value))
	}
	if report := runner.Run(t.Context(), runtime.Request{Source: source(60_000), Limits: limits, Room: room}); report.Outcome != runtime.OutcomeOK || len(asked) > 0 {
		t.Errorf("%s, and it asked %d times", report.Outcome, len(asked))
	}
	// In vain, until its time is up, and until it is cancelled. How long it takes until
	// the value is there is the machine's affair.
	limits.Timeout = 2 * time.Second
	report := runner.Run(t.Context(), runtime.Request{Source: source(5_000_000), Limits: limits, Room: room})
	for len(asked) == 0 && limits.Timeout < time.Minute {
		limits.Timeout *= 2
		report = runner.Run(t.Context(), runtime.Request{Source: source(5_000_000), Limits: limits, Room: room})
	}
	if report.Outcome != runtime.OutcomeTimeout || !strings.Contains(report.Failure.Message, "its value waited for room") {
		t.Errorf("%s: %+v", report.Outcome, report.Failure)
	}
	if len(asked) == 1 {
		<-asked
	}
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		<-asked
		stop()
	}()
	limits.Timeout = 5 * time.Minute
	if report := runner.Run(ctx, runtime.Request{Source: source(5_000_000), Limits: limits, Room: room}); report.Outcome != runtime.OutcomeCancelled {
		t.Errorf("%s: %+v", report.Outcome, report.Failure)
	}
	mine := errors.New("mine")
	if report := runner.Run(t.Context(), runtime.Request{Source: source(5_000_000), Limits: limits, Room: func(context.Context, int64) error { return mine }}); report.Outcome != runtime.OutcomeCancelled || !errors.Is(report.Err(), mine) {
		t.Errorf("%s: %v", report.Outcome, report.Err())
	}
	// The next run is none of it.
	if report := runner.Run(t.Context(), runtime.Request{Source: source(100_000), Limits: limits}); report.Outcome != runtime.OutcomeOK {
		t.Errorf("%s: %+v", report.Outcome, report.Failure)
	}
}
