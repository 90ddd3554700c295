package runtime_test

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
)

// A run ends when its value is there and nothing that it began is under way: the same file
// does the same thing every time, and what nobody awaited is a note.
func TestTheSameFileDoesTheSameThingEveryTime(t *testing.T) {
	bothCells(t, func(t *testing.T, options runtime.Options) {
		var wrote atomic.Int64
		write := tool("write", func(context.Context, hostapi.Call) (hostapi.Result, error) {
			for range 20 { // others go first
				goruntime.Gosched()
			}
			wrote.Add(1)
			return hostapi.Succeed("out"), nil
		})
		options.Tools = []hostapi.Tool{write, failTool, waitTool}
		runner := workers(t, options)
		for _, c := range []struct {
			body, text, failure string
			wrote               int64
			notes               string
		}{
			{"ctx.write('a', 'x'); return 'done'", "done", "", 1, "not_awaited 1 t.js:1"},
			{"[1, 2].forEach(async (n) => {\n await ctx.write('a', 'x'); await ctx.write('b', 'x') }); return 'done'", "done", "", 4,
				"not_awaited 1 t.js:2, not_awaited 2 t.js:2, not_awaited 3 t.js:2, not_awaited 4 t.js:2"},
			{"return {hits: ctx.write('a', 'x')}", "", "value.hits is a promise; await it", 1, ""},
			{"return {of: [1, [1, 2].map(async () => ctx.write('a', 'x'))]}", "", "value.of[1][0] is a promise; await it", 2, ""},
			{"setTimeout(() => ctx.write('a', 'x'), 1); return 'done'", "done", "", 1, "not_awaited 1 t.js:1"},
			{"const t = setInterval(() => ctx.write('a', 'x'), 3600e3); AbortSignal.timeout(3600e3); return 'done'", "done", "", 0, ""},
			{"ctx.tool('fail').catch(() => 1); return 'done'", "done", "", 0, "not_awaited 1 t.js:1"},
			{"const w = ctx.write('a', 'x'); await Promise.all([w]); return (await ctx.write('a', 'x')).output", "out", "", 2, ""},
			{"return ctx.tool('write').then(() => 'done')", "done", "", 1, ""},
			{"await ctx.write('a', [Promise.resolve(1)]); return 1", "", `the arguments of tool "write": value.content[0] is a promise`, 0, ""},
			{"ctx.tool('wait'); throw new Error('no')", "", "no", 0, "cancelled 1 t.js:1"},
		} {
			program := compiled(t, runner, c.body)
			for range 100 {
				before := wrote.Load()
				report := runner.Run(t.Context(), runtime.Request{Program: program, Allow: []hostapi.Rule{{Tool: "write"}, {Tool: "fail"}, {Tool: "wait"}}})
				var notes []string
				for _, note := range report.Notes {
					notes = append(notes, fmt.Sprintf("%s %d %s:%d", note.Code, note.Call, note.File, note.Line))
				}
				failure := ""
				if report.Failure != nil {
					failure = report.Failure.Message
				}
				if report.Text != c.text || !strings.Contains(failure, c.failure) || wrote.Load()-before != c.wrote || strings.Join(notes, ", ") != c.notes {
					t.Errorf("%s: wrote %d, notes %q, %s", c.body, wrote.Load()-before, notes, report)
					break
				}
			}
		}
	})
}

// A run that ends while something that nobody awaited goes on says that its value was there.
func TestEndAfterTheValue(t *testing.T) {
	bothCells(t, func(t *testing.T, options runtime.Options) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		options.Tools = []hostapi.Tool{tool("late", func(ctx context.Context, _ hostapi.Call) (hostapi.Result, error) {
			cancel()
			<-ctx.Done()
			return hostapi.Result{}, ctx.Err()
		})}
		runner := workers(t, options)
		report := runner.Run(ctx, runtime.Request{Program: compiled(t, runner, "setTimeout(() => ctx.tool('late')); return 1"), Allow: []hostapi.Rule{{Tool: "late"}}})
		if report.Outcome != runtime.OutcomeCancelled || !strings.Contains(report.Failure.Message, "it had returned its value, but a call or a timeout that nobody awaited was not over") {
			t.Errorf("got %s", report)
		}
	})
}

// A script says in its own words that it could not do it.
func TestCleanFailure(t *testing.T) {
	bothCells(t, func(t *testing.T, options runtime.Options) {
		runner := workers(t, options)
		for body, want := range map[string]string{
			"ctx.fail('no such file')":                                 "failed, no such file, ",
			"ctx.fail('no such file', {path: 'a'})":                    `failed, no such file, {"path":"a"}`,
			"await Promise.all([1].map(async () => ctx.fail()))":       "failed, the tool could not do it, ",
			"ctx.fail({path: 'a'})":                                    `failed, the tool could not do it, {"path":"a"}`,
			"ctx.fail(null)":                                           "failed, the tool could not do it, ",
			"try { ctx.fail('a') } catch (e) { throw e }":              "failed, a, ",
			"try { ctx.fail('a') } catch (e) { return e.message }":     "ok, , ",
			"ctx.fail('a', 'x'.repeat(70000))":                         `failed, a, {"truncated":true,"bytes":70002}`,
			"ctx.fail('a', {p: ctx.bash('x')})":                        "script_error, the data of ctx.fail is not JSON: value.p is a promise; await it, ",
			"const e = new Error('mine'); e.name = 'Failure'; throw e": "script_error, mine, ",
		} {
			report := runner.Run(t.Context(), runtime.Request{Program: compiled(t, runner, body)})
			got := string(report.Outcome) + ", , "
			if f := report.Failure; f != nil {
				got = fmt.Sprintf("%s, %s, %s", report.Outcome, f.Message, f.Data)
			}
			if got != want {
				t.Errorf("%s: %s, want %s", body, got, want)
			}
			var failure *runtime.ScriptError
			if report.Outcome == runtime.OutcomeFailed && (!errors.As(report.Err(), &failure) || failure.Error() != failure.Message || failure.Frame != "") {
				t.Errorf("%s: %v, %+v", body, report.Err(), failure)
			}
		}
	})
}

// A timeout names who set the deadline.
func TestTimeoutNamesWhoSetIt(t *testing.T) {
	t.Parallel()
	const short = 20 * time.Millisecond
	for want, c := range map[string]struct {
		options runtime.Options
		request runtime.Request
		caller  time.Duration
	}{
		"raise limits.timeoutMs or":                 {request: runtime.Request{Limits: runtime.Limits{Timeout: short}}},
		"raise --timeout or":                        {request: runtime.Request{Limits: runtime.Limits{Timeout: short}, Raise: func(string) string { return "--timeout" }}, options: runtime.Options{Ceiling: runtime.Limits{Timeout: time.Minute}}},
		"raise the host's ceiling or":               {request: runtime.Request{Raise: func(string) string { return "--timeout" }}, options: runtime.Options{Ceiling: runtime.Limits{Timeout: short}}},
		"raise limits.timeoutMs in the settings or": {options: runtime.Options{Ceiling: runtime.Limits{Timeout: short}, CeilingFrom: "the settings"}},
		"before the deadline of its caller":         {caller: short},
	} {
		runner := newRunner(t, c.options)
		c.request.Program = compile(t, runner, "for (;;) {}")
		ctx, stop := t.Context(), context.CancelFunc(func() {})
		if c.caller > 0 {
			ctx, stop = context.WithTimeout(ctx, c.caller)
		}
		report := runner.Run(ctx, c.request)
		stop()
		if report.Outcome != runtime.OutcomeTimeout || !strings.Contains(report.Failure.Message, want) {
			t.Errorf("%s: %s", want, report)
		}
	}
}

// The sum of results is that of the rows, and arguments count apart.
func TestUsageIsTheSumOfTheRows(t *testing.T) {
	bothCells(t, func(t *testing.T, options runtime.Options) {
		options.Tools = []hostapi.Tool{echoTool, failTool}
		runner := workers(t, options)
		report := runner.Run(t.Context(), runtime.Request{
			Program: compiled(t, runner, "await ctx.tool('echo', {a: 1}); await ctx.tool('fail'); await ctx.tool('echo', {b: 'x'.repeat(99)}); return 1"),
			Allow:   []hostapi.Rule{{Tool: "echo"}, {Tool: "fail"}},
		})
		var sum int64
		for _, c := range report.Calls {
			sum += c.OutputBytes
		}
		if want := int64(len(`{"a":1}{}{"b":""}`) + 99); sum == 0 || report.Usage.ResultBytes != sum || report.Usage.ArgumentBytes != want {
			t.Errorf("%+v, the rows have %d, the arguments %d", report.Usage, sum, want)
		}
	})
}
