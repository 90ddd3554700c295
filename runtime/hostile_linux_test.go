//go:build amd64 || arm64

package runtime_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/runtime"
)

// strict holds hostile scripts to their time; a machine that is busy with
// other tests might not keep it.
var strict = flag.Bool("hostile.strict", false, "fail where a hostile script takes longer than its deadline and half a second")

// hostile is a script that is out to harm its host.
type hostile struct{ Name, JS string }

func hostiles(t testing.TB) []hostile {
	t.Helper()
	text, err := os.ReadFile("testdata/hostile.json")
	if err != nil {
		t.Fatal(err)
	}
	var scripts []hostile
	if err := json.Unmarshal(text, &scripts); err != nil || len(scripts) < 100 {
		t.Fatalf("%d scripts, %v", len(scripts), err)
	}
	return scripts
}

// places are where a hostile script may stand.
var places = map[string]string{
	"in run":     "export default async function run(ctx, inputs) {\n%s\n}",
	"at the top": "%s\nexport default async function run(ctx, inputs) { return 1 }",
	"in promise": "export default async function run(ctx, inputs) { await null; return Promise.resolve().then(function () {\n%s\n}) }",
}

const (
	hostileTimeout = 500 * time.Millisecond
	hostileMemory  = 128 << 20
)

// endings of a hostile script: every one is an outcome.
var outcomes = []runtime.Outcome{
	runtime.OutcomeOK, runtime.OutcomeScriptError, runtime.OutcomeInvalidOutput, runtime.OutcomeLimit, runtime.OutcomeTimeout,
	runtime.OutcomeCrashed, runtime.OutcomeDenied,
}

// attack runs a hostile script and checks that it ended as it must.
func attack(t *testing.T, runner *runtime.Runner, script hostile, place string) (ran bool) {
	t.Helper()
	program, err := runner.Compile(t.Context(), runtime.Source{Name: script.Name + ".js", Body: fmt.Appendf(nil, places[place], script.JS)})
	if err != nil {
		return false // refused before it ran
	}
	began := time.Now()
	report := runner.Run(context.Background(), runtime.Request{
		Program: program, Limits: runtime.Limits{Timeout: hostileTimeout, MaxMemoryBytes: hostileMemory},
	})
	took := time.Since(began)
	if !slices.Contains(outcomes, report.Outcome) || report.Isolation.Cell != "worker" && !(report.Isolation.Cell == "" && report.Outcome == runtime.OutcomeTimeout) || report.Isolation.Abandoned {
		t.Errorf("%s %s: %s in a %s, %v", script.Name, place, report.Outcome, report.Isolation.Cell, report.Failure)
	}
	if *strict && took > hostileTimeout+500*time.Millisecond {
		t.Errorf("%s %s: %s after %v", script.Name, place, report.Outcome, took)
	}
	if peak := report.Usage.PeakMemoryBytes; peak > hostileMemory*5/4+32<<20 { // what the system lets it have
		t.Errorf("%s %s: %s: the worker had %d MB", script.Name, place, report.Outcome, peak>>20)
	}
	return true
}

// resident is how much memory this process has in use.
func resident(t testing.TB) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

// children are the living processes that this one has started.
func children(t testing.TB) (found []string) {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it is gone
		}
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		const state, parent, threads = 0, 1, 17
		dead := fields[state] == "Z" && fields[threads] == "1" // the first thread may end before the others
		if fields[parent] == strconv.Itoa(os.Getpid()) && !dead {
			found = append(found, path)
		}
	}
	return found
}

// TestHostileScripts: each in every place ends with a typed report, and leaves
// nothing. One in three places by default; all of them with -hostile.strict.
func TestHostileScripts(t *testing.T) { //nolint:paralleltest // the process's memory is looked at
	runner, err := runtime.New(runtime.Options{})
	if err != nil {
		t.Fatal(err)
	}
	before := resident(t)
	ran := 0
	names := []string{"in run", "at the top", "in promise"}
	var mu sync.Mutex
	var attacking sync.WaitGroup
	slots := make(chan struct{}, 2)
	for i, script := range hostiles(t) {
		for j, place := range names {
			if !*strict && i%3 != j {
				continue
			}
			slots <- struct{}{}
			attacking.Go(func() {
				defer func() { <-slots }()
				if attack(t, runner, script, place) {
					mu.Lock()
					defer mu.Unlock()
					ran++
				}
			})
		}
	}
	attacking.Wait()
	if ran < 100 {
		t.Errorf("only %d ran", ran)
	}
	if err := runner.Close(); err != nil {
		t.Error(err)
	}
	if left := children(t); len(left) > 0 {
		t.Errorf("processes are left: %q", left)
	}
	if *strict { // the memory of a process under test is not its own otherwise
		if grown := resident(t) - before; grown > 20<<20 {
			t.Errorf("the host grew by %d MB", grown>>20)
		}
	}
}

// TestInnocentBesideHostile: while hostile scripts run eight at once, an
// innocent one in a loop never fails.
func TestInnocentBesideHostile(t *testing.T) { //nolint:paralleltest // as above
	runner, err := runtime.New(runtime.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := runner.Close(); err != nil {
			t.Error(err)
		}
	}()
	innocent, err := runner.Compile(t.Context(), runtime.Source{Name: "innocent.js", Body: []byte("export default (ctx, inputs) => inputs.n + 1")})
	if err != nil {
		t.Fatal(err)
	}
	run := func(n int) time.Duration {
		began := time.Now()
		report := runner.Run(t.Context(), runtime.Request{Program: innocent, Inputs: json.RawMessage(`{"n":1}`)})
		if report.Outcome != runtime.OutcomeOK || string(report.Value) != "2" {
			t.Errorf("run %d: %s", n, report)
		}
		return time.Since(began)
	}
	var alone, beside []time.Duration
	scripts, runs := hostiles(t), 2000
	if !*strict {
		scripts, runs = scripts[:40], 200
	}
	for n := range runs {
		alone = append(alone, run(n))
	}
	var over atomic.Bool
	var both sync.WaitGroup
	both.Go(func() {
		for n := 0; !over.Load() && !t.Failed(); n++ {
			beside = append(beside, run(n))
		}
	})
	slots := make(chan struct{}, 8)
	var attacking sync.WaitGroup
	for _, script := range scripts {
		slots <- struct{}{}
		attacking.Go(func() {
			defer func() { <-slots }()
			attack(t, runner, script, "in run")
		})
	}
	attacking.Wait()
	over.Store(true)
	both.Wait()
	before, after := p99(alone), p99(beside)
	t.Logf("p99 of %d runs alone: %v; of %d runs beside: %v", len(alone), before, len(beside), after)
	if *strict && after > 10*before {
		t.Errorf("p99 is %v, alone %v", after, before)
	}
}

func p99(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)*99/100]
}
