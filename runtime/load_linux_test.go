//go:build amd64 || arm64

package runtime_test

import (
	"context"
	"flag"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
)

var (
	loadRuns   = flag.Int("load.runs", 300, "how many runs there are under load; 10000 before a release")
	loadStrict = flag.Bool("load.strict", false, "a run that takes more than its time and half a second fails the test; for a machine that does nothing else")
)

// crowd are scripts as there are many at once: good ones, and hostile ones.
var crowd = []string{
	"return inputs",
	"return (await ctx.tool('echo', {n: 1})).exitCode",
	"return await Promise.all([1, 2, 3].map((n) => ctx.tool('echo', {n}).then((r) => r.exitCode)))",
	"for (let i = 0; i < 20; i++) console.log('line', i); return 1",
	"await new Promise((done) => setTimeout(done, 20)); return 2",
	"const end = Date.now() + 15; while (Date.now() < end); return 3",
	"await ctx.tool('wait')",
	"ctx.tool('wait'); throw 'left'",
	"await ctx.tool('deaf'); return 4",
	"for (;;);",
	"for (;;) { try { for (;;); } catch {} finally { continue } }",
	"const o = {}; o.then = Promise.resolve.bind(Promise, o); return o",
	"const all = []; for (;;) all.push(new Uint8Array(1 << 20).fill(1))",
	"let s = 'x'; for (;;) s += s",
	"return 'x'.repeat(2**29).length",
	"const f = () => f(); return f()",
	"throw new Error('no')",
	"await ctx.tool('secret')",
	"var h = {}, p = new Proxy({}, h); h.__proto__ = p; return p.x",
}

// TestRunsUnderLoad: 200 runs at once, good and hostile, whose workers are killed
// and stopped at random. Each has a report. None is ok after its time, and none
// crashed but for a worker that somebody killed.
func TestRunsUnderLoad(t *testing.T) { //nolint:paralleltest // it kills children of this process
	deaf := tool("deaf", func(ctx context.Context, _ hostapi.Call) (hostapi.Result, error) {
		<-ctx.Done()
		<-time.After(100 * time.Millisecond) // whatever it is told
		return hostapi.Succeed(""), nil
	})
	runner, err := runtime.New(runtime.Options{Tools: []hostapi.Tool{echoTool, waitTool, deaf}, MaxQueuedRuns: *loadRuns})
	if err != nil {
		t.Fatal(err)
	}
	var programs []*runtime.Program
	for _, body := range crowd {
		programs = append(programs, compile(t, runner, body))
	}
	over := make(chan struct{})
	var tormenting sync.WaitGroup
	tormenting.Go(func() { torment(t, over) })

	const timeout = 700 * time.Millisecond
	var mu sync.Mutex
	outcomes := map[string]int{}
	var reports atomic.Int64
	var longest, longestOK time.Duration
	late := 0
	slots := make(chan struct{}, 200)
	var running sync.WaitGroup
	for n := range *loadRuns {
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			which := n % len(crowd)
			began := time.Now()
			report := runner.Run(t.Context(), runtime.Request{
				Program: programs[which], Allow: []hostapi.Rule{{Tool: "echo"}, {Tool: "wait"}, {Tool: "deaf"}},
				Limits: runtime.Limits{Timeout: timeout, MaxMemoryBytes: 64 << 20},
			})
			took := time.Since(began)
			if report == nil || report.Outcome == "" || report.Isolation.Abandoned {
				t.Errorf("run %d: %+v", n, report)
				return
			}
			reports.Add(1)
			if report.Outcome == runtime.OutcomeCrashed && !strings.Contains(report.Failure.Message, "signal: killed") && !strings.Contains(report.Failure.Message, "did not become a worker") {
				t.Errorf("%q: %s: %v, a peak of %d MB", crowd[which], report, report.Failure, report.Usage.PeakMemoryBytes>>20)
			}
			mu.Lock()
			defer mu.Unlock()
			longest = max(longest, took)
			if took > timeout+500*time.Millisecond {
				late++
			}
			key := string(report.Outcome)
			if report.Limit != "" {
				key += " " + report.Limit
			}
			outcomes[key]++
			if report.Outcome == runtime.OutcomeOK {
				longestOK = max(longestOK, took)
				if report.Usage.Wall > timeout+500*time.Millisecond {
					t.Errorf("%q: ok after %v", crowd[which], report.Usage.Wall)
				}
			}
		})
	}
	running.Wait()
	close(over)
	tormenting.Wait()
	if got := int(reports.Load()); got != *loadRuns {
		t.Errorf("%d reports of %d runs", got, *loadRuns)
	}
	t.Logf("%v; the longest took %v, the longest that was ok %v; %d took more than %v", outcomes, longest, longestOK, late, timeout+500*time.Millisecond)
	if *loadStrict && late > 0 {
		t.Errorf("%d runs took more than their time and half a second; the longest %v", late, longest)
	}
	if err := runner.Close(); err != nil {
		t.Error(err)
	}
	if left := children(t); len(left) > 0 {
		t.Errorf("processes are left: %q", left)
	}
}

// torment kills and stops workers, at random.
func torment(t *testing.T, over <-chan struct{}) {
	t.Helper()
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-over:
			return
		case <-tick.C:
		}
		found := children(t)
		if len(found) == 0 {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(found[rand.IntN(len(found))])))
		if err != nil {
			t.Error(err)
			return
		}
		signal := syscall.SIGKILL
		if rand.IntN(2) == 0 {
			signal = syscall.SIGSTOP
		}
		if slices.Contains(children(t), "/proc/"+strconv.Itoa(pid)+"/stat") {
			_ = syscall.Kill(pid, signal) // it may be gone
		}
	}
}
