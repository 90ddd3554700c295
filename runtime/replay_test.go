package runtime_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/hosttest"
	"github.com/scriptrun/scriptrun/runtime"
)

// observed is what a script can see of the time and of chance. It computes for a while
// between, and its timers are set while others are.
const observed = `
	const seen = [Date.now(), new Date().toISOString(), Math.random(), Math.random(), crypto.randomUUID(), ...crypto.getRandomValues(new Uint8Array(4)), performance.now(), performance.timeOrigin, new Event("x").timeStamp];
	const note = (name) => () => seen.push(name, Date.now(), Math.random());
	const spin = () => { for (let i = 0; i < 1e5; i++); };
	setTimeout(note("last"), 30);
	setTimeout(() => seen.push(performance.now()), 25);
	spin();
	setTimeout(note("second"), 20);
	spin();
	await new Promise((done) => setTimeout(() => { note("first")(); setTimeout(done, 12); spin(); }, 10));
	let turns = 0;
	await new Promise((done) => { const all = setInterval(() => { spin(); if (++turns === 3) { clearInterval(all); done(); } }, 2); });
	seen.push(Date.now(), [3, 1, 2].map((n) => [Math.random(), n]).sort().join());
	return seen;`

// TestTheSameAgain: with a time and a seed, a run sees the same in every cell, and the
// next time; without them it does not.
func TestTheSameAgain(t *testing.T) {
	t.Parallel()
	now := time.Date(2031, 5, 17, 9, 8, 7, 654e6, time.FixedZone("", 2*3600+30*60))
	seen := func(cells runtime.Options, now time.Time, seed uint64) string {
		runner := workers(t, cells)
		report := runner.Run(t.Context(), runtime.Request{Program: compiled(t, runner, observed), Now: now, Seed: seed})
		if report.Err() != nil {
			t.Error(report)
		}
		return string(report.Value)
	}
	first := seen(runtime.Options{}, now, 7)
	if want := `[1936766287654,"2031-05-17T06:38:07.654Z",`; !strings.HasPrefix(first, want) {
		t.Errorf("%s does not begin with %s", first, want)
	}
	for _, part := range []string{`"first",1936766287664`, `"second",1936766287674`, `,1936766287682,"`} {
		if !strings.Contains(first, part) {
			t.Errorf("%s: no %s", first, part)
		}
	}
	for name, cells := range map[string]runtime.Options{"worker": {}, "in process": {InProcess: true}, "elsewhere": {Cells: over(serveCell)}} {
		if again := seen(cells, now, 7); again != first {
			t.Errorf("%s: %s, not %s", name, again, first)
		}
	}
	if seen(runtime.Options{}, now, 8) == first {
		t.Error("another seed, and the same numbers")
	}
	for _, cells := range []runtime.Options{{}, {InProcess: true}} {
		if one, other := seen(cells, now, 0), seen(cells, now, 0); one == other {
			t.Error("no seed, and the same numbers")
		}
	}
	if free := seen(runtime.Options{InProcess: true}, time.Time{}, 7); strings.HasPrefix(free, "[1936766") {
		t.Errorf("the machine's clock says %s", free)
	}
}

// TestTimersOfASetClockWait: one that is set after something took its time waits as long
// as it says.
func TestTimersOfASetClockWait(t *testing.T) {
	t.Parallel()
	const took = 300 * time.Millisecond
	slow := &hosttest.Fake{ToolName: "slow", Do: func(context.Context, hostapi.Call) (hostapi.Result, error) {
		time.Sleep(took) // that it takes its time is what the test is about
		return hostapi.Succeed(""), nil
	}}
	runner := newRunner(t, runtime.Options{Tools: []hostapi.Tool{slow}, InProcess: true})
	report := runner.Run(t.Context(), runtime.Request{
		Program: compile(t, runner, "await ctx.tool('slow'); await new Promise((done) => setTimeout(done, 200)); return Date.now()"),
		Allow:   []hostapi.Rule{{Tool: "slow"}}, Now: time.UnixMilli(1000),
	})
	if report.Err() != nil || report.Usage.Wall < took+200*time.Millisecond || string(report.Value) != "1200" {
		t.Errorf("%s: %s after %v", report, report.Value, report.Usage.Wall)
	}
}

// TestTimesThatAreNone are refused before anything runs.
func TestTimesThatAreNone(t *testing.T) {
	t.Parallel()
	runner := newRunner(t, runtime.Options{})
	for _, now := range []time.Time{time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)} {
		report := runner.Run(t.Context(), runtime.Request{Program: compile(t, runner, "return 1"), Now: now})
		if report.Outcome != runtime.OutcomeInvalidInput {
			t.Errorf("%v: %s", now, report)
		}
	}
}
