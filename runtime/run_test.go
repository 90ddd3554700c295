package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/schema"
	"github.com/scriptrun/scriptrun/runtime"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	cellMain()
	evilMain()
	runtime.WorkerMain()
	goleak.VerifyTestMain(m)
}

// tool is a host tool made of a function.
func tool(name string, do func(context.Context, hostapi.Call) (hostapi.Result, error)) hostapi.Tool {
	return &hostapi.Func{ToolName: name, Do: do}
}

// echoTool answers with its arguments; waitTool with nothing, when the run ends.
var (
	echoTool = tool("echo", func(_ context.Context, c hostapi.Call) (hostapi.Result, error) {
		return hostapi.Succeed(string(c.Args)).WithData(c.Args), nil
	})
	failTool = tool("fail", func(context.Context, hostapi.Call) (hostapi.Result, error) {
		return hostapi.Fail("it went wrong"), nil
	})
	waitTool = tool("wait", func(ctx context.Context, _ hostapi.Call) (hostapi.Result, error) {
		<-ctx.Done()
		return hostapi.Result{}, ctx.Err()
	})
	pickyTool = &hostapi.Func{ToolName: "picky", About: hostapi.Description{Input: json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{"a":{"enum":["b"]}}}`)},
		Do: func(context.Context, hostapi.Call) (hostapi.Result, error) { return hostapi.Succeed(""), nil }}
	bigTool = tool("big", func(context.Context, hostapi.Call) (hostapi.Result, error) {
		return hostapi.Succeed(strings.Repeat("x", 5000)), nil
	})
)

func newRunner(t testing.TB, options runtime.Options) *runtime.Runner {
	t.Helper()
	if options.Tools == nil {
		options.Tools = []hostapi.Tool{echoTool, failTool, waitTool, bigTool, pickyTool}
	}
	options.InProcess = true // workers have tests of their own
	return workers(t, options)
}

func compile(t testing.TB, runner *runtime.Runner, body string) *runtime.Program {
	t.Helper()
	program, err := runner.Compile(t.Context(), runtime.Source{Name: "t.js", Body: []byte("async function run(ctx, inputs) {\n" + body + "\n}")})
	if err != nil {
		t.Fatal(err)
	}
	return program
}

var allowAll = []hostapi.Rule{{Tool: "echo"}, {Tool: "fail"}, {Tool: "wait"}, {Tool: "big"}, {Tool: "picky"}}

// run runs the body of a function that may call every tool but "secret".
func run(t testing.TB, body string, change func(*runtime.Request)) *runtime.Report {
	t.Helper()
	runner := newRunner(t, runtime.Options{})
	request := runtime.Request{Tool: "t", Program: compile(t, runner, body), Allow: allowAll}
	if change != nil {
		change(&request)
	}
	return runner.Run(t.Context(), request)
}

func mustSchema(t testing.TB, text string) *schema.Schema {
	t.Helper()
	s, err := schema.Compile(json.RawMessage(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Every ending has a receipt with the whole ledger. Each script first makes a
// call that works.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	short := func(r *runtime.Request) { r.Limits.Timeout = 50 * time.Millisecond }
	for _, c := range []struct {
		name, body string
		change     func(*runtime.Request)
		outcome    runtime.Outcome
		limit      string
		message    string
		line       int
		statuses   string
	}{
		{"ok", "return 5", nil, "ok", "", "", 0, "ok"},
		{"throw", "throw new TypeError('bad')", nil, "script_error", "", "TypeError: bad", 4, "ok"},
		{"failed helper", "await ctx.bash('x')", nil, "denied", "", `tool "bash" is not allowed`, 4, "ok denied"},
		{"denied", "await ctx.tool('secret')", nil, "denied", "", `tool "secret" is not allowed`, 4, "ok denied"},
		{"denied and caught", "try { await ctx.tool('secret') } catch (e) { return e.code }", nil, "ok", "", "", 0, "ok denied"},
		{"denied and wrapped", "try { await ctx.tool('secret') } catch (e) { throw new Error('mine: ' + e.message) }", nil, "script_error", "", "mine: ", 4, "ok denied"},
		{"too many calls", "await ctx.tool('echo'); await ctx.tool('echo')", func(r *runtime.Request) { r.Limits.MaxToolCalls = 2 }, "limit", "maxToolCalls", "call 3", 4, "ok ok over_limit"},
		{"refusals without end", "for (;;) await ctx.tool('secret').catch(() => 0)", nil, "limit", "maxRefusals", "1000", 0, "ok" + strings.Repeat(" denied", runtime.MaxRefusals+1)},
		{"stack", "const f = () => f(); f()", nil, "limit", "stack", "nested", 4, "ok"},
		{"timeout of a loop", "for (;;) {}", short, "timeout", "", "50ms", 0, "ok"},
		{"timeout of a call", "await ctx.tool('wait')", short, "timeout", "", `call 2, to tool "wait"`, 0, "ok cancelled"},
		{"never", "await new Promise(() => {})", nil, "script_error", "", "can never settle", 0, "ok"},
		{"not JSON", "return () => 1", nil, "invalid_output", "", "not JSON", 0, "ok"},
		{"hijacked JSON", "JSON.stringify = () => '{'; return {}", nil, "invalid_output", "", "not JSON", 0, "ok"},
		{"too large", "return ['x'.repeat(2000)]", func(r *runtime.Request) { r.Limits.MaxOutputBytes = 1000 }, "invalid_output", "", "2004 bytes", 0, "ok"},
		{"schema", "return {n: 'x'}", func(r *runtime.Request) {
			r.Output = mustSchema(t, `{"type":"object","properties":{"n":{"type":"integer"}}}`)
		}, "invalid_output", "", "/n", 0, "ok"},
		{"engine panic", "Reflect.ownKeys(new Proxy({}, { ownKeys() { return { length: 2 ** 53 - 1 } } }))", nil, "crashed", "", "the engine failed", 0, "ok"},
		{"unawaited call", "ctx.tool('wait'); return 1", short, "timeout", "", `call 2, to tool "wait"`, 0, "ok cancelled"},
		{"arguments that are not JSON", "JSON.stringify = () => 'garbage'; await ctx.tool('echo', {a: 1})", nil, "script_error", "", "JSON object", 4, "ok failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			report := run(t, "\nawait ctx.tool('echo', {first: true})\n"+c.body, c.change)
			var statuses []string
			for i, call := range report.Calls {
				statuses = append(statuses, string(call.Status))
				if call.Seq != i+1 || call.Ended.IsZero() || call.Ended.Before(call.Started) || call.Site == "" {
					t.Errorf("row %d: %+v", i, call)
				}
			}
			if report.Outcome != c.outcome || report.Limit != c.limit || strings.Join(statuses, " ") != c.statuses {
				t.Fatalf("got %s", report)
			}
			if (report.Err() == nil) != (c.outcome == "ok") || (report.Failure == nil) != (c.outcome == "ok") {
				t.Errorf("error %v", report.Err())
			}
			if f := report.Failure; f != nil {
				if !strings.Contains(f.Error(), c.message) || f.Pos.Line != c.line {
					t.Errorf("failure %q at line %d", f.Error(), f.Pos.Line)
				}
				if c.line > 0 && !strings.Contains(f.Frame, "^") {
					t.Errorf("frame %q", f.Frame)
				}
			}
			if report.Run == "" || report.Tool != "t" || report.Path != "t.js" || len(report.Digest) != 64 || report.Usage.Wall <= 0 {
				t.Errorf("%+v", report)
			}
			if _, err := json.Marshal(report); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestErrIs(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]error{
		"for (;;) {}":              context.DeadlineExceeded,
		"await ctx.tool('secret')": hostapi.ErrDenied,
		"await ctx.tool('echo'); await ctx.tool('echo')": hostapi.ErrOverLimit,
	} {
		limits := runtime.Limits{Timeout: time.Minute, MaxToolCalls: 1}
		if want == context.DeadlineExceeded { //nolint:errorlint // it is the one of the table
			limits.Timeout = 500 * time.Millisecond
		}
		err := run(t, body, func(r *runtime.Request) { r.Limits = limits }).Err()
		var script *runtime.ScriptError
		if !errors.Is(err, want) || !errors.As(err, &script) {
			t.Errorf("%s: %v", body, err)
		}
		for _, other := range []error{context.DeadlineExceeded, context.Canceled, hostapi.ErrDenied, hostapi.ErrOverLimit} {
			if other != want && errors.Is(err, other) {
				t.Errorf("%s: %v is also %v", body, err, other)
			}
		}
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{"in a call": "await ctx.tool('wait')", "in a loop": "ctx.tool('wait'); for (;;) {}", "in a timer": "ctx.tool('wait'); await new Promise(f => setTimeout(f, 1e6))"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			started := make(chan struct{})
			runner := newRunner(t, runtime.Options{
				Tools:    []hostapi.Tool{waitTool},
				Observer: runtime.Observer{CallStarted: func(hostapi.Call) { close(started) }},
			})
			ctx, cancel := context.WithCancel(t.Context())
			go func() { <-started; cancel() }()
			report := runner.Run(ctx, runtime.Request{Program: compile(t, runner, body), Allow: []hostapi.Rule{{Tool: "wait"}}})
			if report.Outcome != runtime.OutcomeCancelled || !errors.Is(report.Err(), context.Canceled) || len(report.Calls) != 1 || report.Calls[0].Status != hostapi.StatusCancelled {
				t.Errorf("got %s", report)
			}
		})
	}
	runner := newRunner(t, runtime.Options{})
	program := compile(t, runner, "return 1")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if report := runner.Run(ended, runtime.Request{Program: program}); report.Outcome != runtime.OutcomeCancelled {
		t.Errorf("a context that has ended: %s", report)
	}
	late, cancel := context.WithDeadline(t.Context(), time.Unix(1, 0))
	defer cancel()
	if report := runner.Run(late, runtime.Request{Program: program}); report.Outcome != runtime.OutcomeTimeout {
		t.Errorf("a deadline that has passed: %s", report)
	}
}

// 1,000 calls at once are 1,000 rows in order, eight under way at a time; one
// more is refused.
func TestThousandParallelCalls(t *testing.T) {
	t.Parallel()
	var now, most atomic.Int32
	full := make(chan struct{})
	var once sync.Once
	busy := tool("busy", func(ctx context.Context, _ hostapi.Call) (hostapi.Result, error) {
		n := now.Add(1)
		defer now.Add(-1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		if n == runtime.MaxConcurrent {
			once.Do(func() { close(full) })
		}
		select { // nobody leaves before eight were inside
		case <-full:
		case <-ctx.Done():
		}
		return hostapi.Succeed(""), nil
	})
	runner := newRunner(t, runtime.Options{Tools: []hostapi.Tool{busy}})
	report := runner.Run(t.Context(), runtime.Request{
		Program: compile(t, runner, `
const all = await Promise.allSettled(Array.from({length: 1001}, (_, i) => ctx.tool("busy", {i})))
return all.map((one) => one.status === "fulfilled" ? "ok" : one.reason.code)`),
		Allow: []hostapi.Rule{{Tool: "busy"}}, Limits: runtime.Limits{MaxToolCalls: 1000},
	})
	if report.Outcome != runtime.OutcomeOK || len(report.Calls) != 1001 || most.Load() != runtime.MaxConcurrent || report.Usage.ToolCalls != 1000 {
		t.Fatalf("%s; %d rows, %d at once, %d counted", report.Headline(), len(report.Calls), most.Load(), report.Usage.ToolCalls)
	}
	for i, c := range report.Calls {
		want := hostapi.StatusOK
		if i == 1000 {
			want = hostapi.StatusOverLimit
		}
		if c.Seq != i+1 || string(c.Args) != fmt.Sprintf(`{"i":%d}`, i) || c.Status != want {
			t.Fatalf("row %d: %+v", i, c)
		}
	}
	var codes []string
	if err := json.Unmarshal(report.Value, &codes); err != nil || codes[999] != "ok" || codes[1000] != "over_limit" {
		t.Errorf("%v %v", codes[999:], err)
	}
}

func TestLimitsAreNarrowedByTheCeiling(t *testing.T) {
	t.Parallel()
	runner := newRunner(t, runtime.Options{Ceiling: runtime.Limits{Timeout: time.Second, MaxToolCalls: 3}})
	report := runner.Run(t.Context(), runtime.Request{Program: compile(t, runner, "return 1"), Limits: runtime.Limits{Timeout: time.Minute, MaxToolCalls: 2}})
	want := runtime.Limits{Timeout: time.Second, MaxToolCalls: 2, MaxOutputBytes: 64 << 10, MaxResultBytes: 4 << 20, MaxMemoryBytes: 256 << 20}
	if diff := cmp.Diff(want, report.Limits); diff != "" {
		t.Error(diff)
	}
	if _, err := runtime.New(runtime.Options{Ceiling: runtime.Limits{MaxToolCalls: -1}}); err == nil {
		t.Error("a ceiling below zero was taken")
	}
}

func TestCapsSaySo(t *testing.T) {
	t.Parallel()
	small := func(r *runtime.Request) { r.Limits.MaxOutputBytes = 1000 }
	report := run(t, "const r = await ctx.tool('big'); return [r.truncated, r.output.length <= 1000, r.output.includes(' of 5000 bytes dropped')]", small)
	if string(report.Value) != "[true,true,true]" || !report.Calls[0].Truncated || report.Calls[0].OutputBytes != 5000 {
		t.Errorf("a result: %s %s", report, report.Value)
	}
	report = run(t, "for (let i = 0; i < 100; i++) console.log('entry ' + i); return 1", small)
	first, last := report.Logs[0], report.Logs[len(report.Logs)-1]
	if !report.LogsTruncated || first.Text != "entry 0" || last.Text != "entry 99" || len(report.Logs) > 60 {
		t.Errorf("logs: %d, %+v … %+v", len(report.Logs), first, last)
	}
	said := false
	for _, entry := range report.Logs {
		said = said || strings.Contains(entry.Text, "dropped here")
	}
	if !said {
		t.Error("the logs do not say what is missing")
	}
	report = run(t, "console.log('x'.repeat(5000)); return 1", small)
	if !report.LogsTruncated || len(report.Logs) != 1 || !strings.Contains(report.Logs[0].Text, "of 5000 bytes dropped") {
		t.Errorf("one long entry: %+v", report.Logs)
	}
}

func TestMemory(t *testing.T) {
	t.Parallel()
	report := run(t, "const keep = []; for (;;) keep.push(new Array(1000).fill(keep.length))", func(r *runtime.Request) {
		r.Limits = runtime.Limits{MaxMemoryBytes: 64 << 20, Timeout: time.Minute}
	})
	if report.Outcome != runtime.OutcomeLimit || report.Limit != runtime.LimitMemory || report.Usage.PeakMemoryBytes < 64<<20 {
		t.Errorf("got %s, peak %d", report, report.Usage.PeakMemoryBytes)
	}
}

// A script in native code does not obey. The run ends all the same, and the
// receipt says that the script was abandoned.
func TestAbandon(t *testing.T) {
	t.Parallel()
	const sample = 100_000
	native := func(n int) string { return fmt.Sprintf("return Array.prototype.indexOf.call({length: %d}, 1)", n) }
	one := run(t, native(sample), nil)
	if one.Err() != nil {
		t.Fatal(one)
	}
	// Long enough to outlast a deadline and the grace, and over when the tests are.
	n := int(float64(sample) * float64(800*time.Millisecond) / float64(one.Usage.CPU))
	var report *runtime.Report
	for range 5 { // on a busy machine the sample took longer than it should
		report = run(t, native(n), func(r *runtime.Request) { r.Limits.Timeout = 10 * time.Millisecond })
		if report.Isolation.Abandoned {
			break
		}
		n *= 2
	}
	if report.Outcome != runtime.OutcomeTimeout || !report.Isolation.Abandoned || !strings.Contains(report.Headline(), "abandoned") {
		t.Errorf("got %s", report)
	}
}

func TestClose(t *testing.T) {
	t.Parallel()
	started := make(chan struct{})
	runner, err := runtime.New(runtime.Options{InProcess: true, Tools: []hostapi.Tool{waitTool}, Observer: runtime.Observer{CallStarted: func(hostapi.Call) { close(started) }}})
	if err != nil {
		t.Fatal(err)
	}
	program := compile(t, runner, "await ctx.tool('wait')")
	done := make(chan *runtime.Report)
	go func() {
		done <- runner.Run(context.Background(), runtime.Request{Program: program, Allow: []hostapi.Rule{{Tool: "wait"}}})
	}()
	<-started
	go runner.Close()
	if report := <-done; report.Outcome != runtime.OutcomeCancelled {
		t.Errorf("got %s", report)
	}
	if err := runner.Close(); err != nil {
		t.Error(err)
	}
	if report := runner.Run(t.Context(), runtime.Request{Program: program}); report.Outcome != runtime.OutcomeCancelled {
		t.Errorf("after Close: %s", report)
	}
}

func TestRequestsThatCannotRun(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*runtime.Request){
		"needs a program": func(r *runtime.Request) { r.Program = nil },
		"not JSON":        func(r *runtime.Request) { r.Inputs = json.RawMessage("{") },
		"nested deeper": func(r *runtime.Request) {
			r.Inputs = json.RawMessage(strings.Repeat("[", 2000) + strings.Repeat("]", 2000))
		},
		"at most 16777216": func(r *runtime.Request) { r.Inputs = make(json.RawMessage, 17<<20) },
		"timeoutMs":        func(r *runtime.Request) { r.Limits.Timeout = time.Hour },
		"maxToolCalls":     func(r *runtime.Request) { r.Limits.MaxToolCalls = -1 },
		`"ecko"`:           func(r *runtime.Request) { r.Allow = []hostapi.Rule{{Tool: "ecko"}} },
		"takes no pattern": func(r *runtime.Request) {
			r.Policies = []hostapi.Policy{hostapi.AllowList{{Tool: "echo", Pattern: "x"}}}
		},
	} {
		report := run(t, "return 1", change)
		if want == "at most 16777216" { // it is not blank, which would be no inputs
			report = run(t, "return 1", func(r *runtime.Request) { r.Inputs = json.RawMessage(`"` + strings.Repeat("x", 17<<20) + `"`) })
		}
		if report.Outcome != runtime.OutcomeInvalidInput || !strings.Contains(report.Err().Error(), want) || len(report.Calls) != 0 {
			t.Errorf("%s: got %s", want, report)
		}
	}
}

func TestNarrow(t *testing.T) {
	t.Parallel()
	report := run(t, "return [await ctx.tool('echo').then(() => 'ok'), await ctx.tool('big').catch(e => e.code)]", func(r *runtime.Request) {
		r.Policies = []hostapi.Policy{hostapi.AllowList{{Tool: "echo"}}}
	})
	if string(report.Value) != `["ok","denied"]` {
		t.Errorf("got %s", report)
	}
}

func TestRefuse(t *testing.T) {
	t.Parallel()
	runner := newRunner(t, runtime.Options{})
	_, err := runner.Compile(t.Context(), runtime.Source{Name: "e", Body: []byte("return 1 +\n\nreturn )"), FunctionBody: true})
	report := runtime.Refuse("e", "e", err)
	if report.Outcome != runtime.OutcomeScriptError || report.Failure.Pos.String() != "e:3:1" || !strings.Contains(report.Failure.Frame, "return )") {
		t.Errorf("a source that does not parse: %+v", report.Failure)
	}
	_, err = runner.Compile(t.Context(), runtime.Source{Name: "e", Body: make([]byte, runtime.MaxSourceBytes+1)})
	if report := runtime.Refuse("e", "e", err); report.Outcome != runtime.OutcomeLimit || report.Limit != runtime.LimitSource {
		t.Errorf("a source that is too large: %s", report)
	}
	if _, err := runner.Compile(t.Context(), runtime.Source{Name: "e", Body: []byte("\xff")}); err == nil {
		t.Error("a source that is not UTF-8 compiled")
	}
}

// The keys of the document are fixed.
func TestReportJSON(t *testing.T) {
	t.Parallel()
	report := run(t, "console.log('hi'); await ctx.tool('echo', {a: 1}); await ctx.tool('secret')", nil)
	encoded, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(encoded, &doc); err != nil {
		t.Fatal(err)
	}
	keys := func(v any) (out []string) {
		for key := range v.(map[string]any) {
			out = append(out, key)
		}
		return out
	}
	has := func(v any, want ...string) {
		t.Helper()
		got := strings.Join(keys(v), " ") + " "
		for _, key := range want {
			if !strings.Contains(" "+got, " "+key+" ") {
				t.Errorf("there is no %s in %s", key, got)
			}
		}
	}
	has(doc, "run", "tool", "source", "outcome", "value", "text", "error", "calls", "logs", "logsTruncated", "usage", "limits", "isolation")
	has(doc["source"], "path", "sha256")
	has(doc["error"], "name", "code", "message", "file", "line", "column", "frame", "stack")
	calls := doc["calls"].([]any)
	has(calls[0], "seq", "tool", "args", "verdict", "status", "exitCode", "outputBytes", "truncated", "startMs", "durationMs")
	has(calls[1], "seq", "tool", "args", "verdict", "status", "outputBytes", "truncated", "startMs", "durationMs", "error")
	if _, ok := calls[1].(map[string]any)["exitCode"]; ok {
		t.Error("a call that was not made has an exit code")
	}
	has(doc["logs"].([]any)[0], "level", "text", "ms")
	has(doc["usage"], "wallMs", "cpuMs", "toolWaitMs", "approvalWaitMs", "toolCalls", "outputBytes", "peakMemoryBytes")
	has(doc["limits"], "timeoutMs", "maxToolCalls", "maxOutputBytes", "maxResultBytes", "maxMemoryBytes")
	has(doc["isolation"], "cell", "sandbox")
}

func TestObserver(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var seen []string
	note := func(s string) { mu.Lock(); defer mu.Unlock(); seen = append(seen, s) }
	runner := newRunner(t, runtime.Options{Tools: []hostapi.Tool{echoTool}, Observer: runtime.Observer{
		CallStarted: func(c hostapi.Call) { note("started " + c.Tool) },
		CallEnded:   func(r hostapi.Record) { note("ended " + string(r.Status)) },
		Logged:      func(e runtime.Entry) { note(e.Level + " " + e.Text) },
		Progressed:  func(p runtime.Progress) { note(fmt.Sprint(p)) },
	}})
	report := runner.Run(t.Context(), runtime.Request{
		Program: compile(t, runner, "console.warn('w'); ctx.progress({done: 1, total: 2, message: 'm'}); await ctx.tool('echo'); await ctx.tool('no').catch(() => 0)"),
		Allow:   []hostapi.Rule{{Tool: "echo"}},
	})
	if report.Err() != nil {
		t.Fatal(report)
	}
	if diff := cmp.Diff([]string{"warn w", "{1 2 m}", "started echo", "ended ok", "ended denied"}, seen); diff != "" {
		t.Error(diff)
	}
}

// One runner runs many programs at once.
func TestConcurrentRuns(t *testing.T) {
	t.Parallel()
	runner := newRunner(t, runtime.Options{})
	program := compile(t, runner, "const r = await ctx.tool('echo', inputs); return r.data.n")
	var group sync.WaitGroup
	for n := range 50 {
		group.Go(func() {
			report := runner.Run(t.Context(), runtime.Request{Program: program, Allow: allowAll, Inputs: json.RawMessage(fmt.Sprintf(`{"n":%d}`, n))})
			if string(report.Value) != fmt.Sprint(n) {
				t.Errorf("got %s, want %d", report, n)
			}
		})
	}
	group.Wait()
}

// The same source is the same program; more programs than are kept all run.
func TestProgramsAreKept(t *testing.T) {
	t.Parallel()
	runner := newRunner(t, runtime.Options{})
	source := func(n int) runtime.Source {
		return runtime.Source{Name: "x.js", Body: fmt.Appendf(nil, "export default () => %d // %s", n, strings.Repeat("<", 1000))}
	}
	var programs []*runtime.Program
	for n := range 600 {
		program, err := runner.Compile(t.Context(), source(n))
		if err != nil {
			t.Fatal(err)
		}
		programs = append(programs, program)
	}
	for n, program := range programs {
		if report := runner.Run(t.Context(), runtime.Request{Program: program}); string(report.Value) != fmt.Sprint(n) {
			t.Fatalf("program %d: %s", n, report)
		}
	}
	last := programs[len(programs)-1]
	if again, err := runner.Compile(t.Context(), source(599)); err != nil || again != last {
		t.Errorf("the same source is another program, %v", err)
	}
	other := source(599)
	other.Name = "y.js"
	if program, err := runner.Compile(t.Context(), other); err != nil || program == last || program.Digest() != last.Digest() {
		t.Errorf("another name: %v", err)
	}
}

// What a script asks for does not make the receipt grow.
func TestReceiptIsBounded(t *testing.T) {
	t.Parallel()
	report := run(t, `
const long = "x".repeat(1e6)
await ctx.tool(long).catch(() => 0)
await ctx.tool("echo", {[long]: long}).catch(() => 0)
await ctx.tool("picky", {a: long, [long]: 1}).catch(() => 0)
return 1`, nil)
	encoded, err := json.Marshal(report)
	if err != nil || report.Outcome != runtime.OutcomeOK || len(report.Calls) != 3 || len(encoded) > 64<<10 {
		t.Errorf("%d bytes, %v, %s", len(encoded), err, report.Headline())
	}
}

// What a caller puts into the context reaches the tools.
func TestContextValues(t *testing.T) {
	t.Parallel()
	type key struct{}
	seen := tool("seen", func(ctx context.Context, _ hostapi.Call) (hostapi.Result, error) {
		return hostapi.Succeed(fmt.Sprint(ctx.Value(key{}))), nil
	})
	runner := newRunner(t, runtime.Options{Tools: []hostapi.Tool{seen}})
	report := runner.Run(context.WithValue(t.Context(), key{}, "trace 7"), runtime.Request{
		Program: compile(t, runner, "return (await ctx.tool('seen')).output"), Allow: []hostapi.Rule{{Tool: "seen"}},
	})
	if report.Text != "trace 7" {
		t.Errorf("got %s", report)
	}
}

// Whoever forgets an await is told.
func TestForgottenAwait(t *testing.T) {
	t.Parallel()
	report := run(t, "ctx.tool('echo')\nreturn 1", nil)
	if lines := report.NoteLines(); len(lines) != 1 || lines[0] != `note: the call to tool "echo" at t.js:2:9 was not awaited; write await before it` {
		t.Errorf("%q", lines)
	}
	silent := tool("silent", func(context.Context, hostapi.Call) (hostapi.Result, error) {
		return hostapi.Result{ExitCode: 3}, nil
	})
	loud := tool("loud", func(context.Context, hostapi.Call) (hostapi.Result, error) { return hostapi.Fail("too loud"), nil })
	runner := newRunner(t, runtime.Options{Tools: []hostapi.Tool{silent, loud}})
	report = runner.Run(t.Context(), runtime.Request{
		Program: compile(t, runner, "ctx.tool('silent'); ctx.tool('loud')\nreturn 1"), Allow: []hostapi.Rule{{Tool: "silent"}, {Tool: "loud"}},
	})
	if lines := strings.Join(report.NoteLines(), "\n"); lines != `note: the call to tool "silent" at t.js:2:9 was not awaited; write await before it; it ended as failed
note: the call to tool "loud" at t.js:2:29 was not awaited; write await before it; it ended as failed: too loud` {
		t.Error(lines)
	}
}

// TestLosersAreAwaited: who awaits a race, or all of which one rejects, has awaited what is still
// under way then. Nobody has awaited what nobody looks at.
func TestLosersAreAwaited(t *testing.T) {
	t.Parallel()
	type release struct{}
	slow := tool("slow", func(ctx context.Context, _ hostapi.Call) (hostapi.Result, error) {
		<-ctx.Value(release{}).(chan struct{})
		return hostapi.Succeed("slow"), nil
	})
	echo := tool("echo", func(context.Context, hostapi.Call) (hostapi.Result, error) { return hostapi.Succeed("echo"), nil })
	end := tool("end", func(ctx context.Context, _ hostapi.Call) (hostapi.Result, error) {
		close(ctx.Value(release{}).(chan struct{}))
		return hostapi.Succeed(""), nil
	})
	runner := newRunner(t, runtime.Options{Tools: []hostapi.Tool{slow, echo, end}})
	for body, want := range map[string]string{
		"await Promise.any([ctx.tool('slow'), ctx.tool('echo')]).then(() => 1); return 1":                                                           "",
		"await Promise.race([ctx.tool('slow'), ctx.tool('echo')]); return 1":                                                                        "",
		"try { await Promise.all([ctx.tool('slow'), ctx.readFile('none')]) } catch {} return 1":                                                     "",
		"const ps = [ctx.tool('slow'), ctx.readFile('none')]; try { await Promise.all(ps) } catch {} return 1":                                      "",
		"await Promise.race([Promise.all([ctx.tool('slow')]), ctx.tool('echo')]); return 1":                                                         "",
		"const work = async () => { await ctx.tool('slow'); await ctx.tool('echo') }; await Promise.race([work(), 1]); return 1":                    "",
		"const late = async () => { await new Promise((f) => setTimeout(f, 1)); await ctx.tool('slow') }; await Promise.any([late(), 1]); return 1": "",
		"await Promise.race(new Set([ctx.tool('slow'), 1])); return 1":                                                                              "",
		"for (let i = 0; i < 40; i++) await Promise.race([i ? 1 : ctx.tool('slow'), 2]); return 1":                                                  "",
		"const r = await Promise.race([ctx.tool('slow'), 1]); return 1":                                                                             "",
		"Promise.race([ctx.tool('slow'), ctx.tool('echo')]); return 1":                                                                              "t.js:2:23 t.js:2:41",
		"Promise.all([ctx.tool('slow')]).then(() => 2); return 1":                                                                                   "t.js:2:22",
		"await Promise.race([ctx.tool('echo'), ctx.tool('slow')]); ctx.tool('slow'); return 1":                                                      "t.js:2:67",
		"await Promise.race([ctx.tool('echo'), ctx.tool('slow')]); ctx.tool('slow').then(() => 1); return 1":                                        "t.js:2:67",
		"await Promise.all([ctx.tool('echo'), 1]); ctx.tool('slow').then(() => 1); return 1":                                                        "t.js:2:51",
		"const work = async () => { await ctx.tool('slow') }; work(); return 1":                                                                     "t.js:2:42",
	} {
		report := runner.Run(context.WithValue(t.Context(), release{}, make(chan struct{})), runtime.Request{
			Program: compile(t, runner, strings.Replace(body, "return 1", "ctx.tool('end'); return 1", 1)), // which runs once it has returned
			Allow:   []hostapi.Rule{{Tool: "slow"}, {Tool: "echo"}, {Tool: "end"}},
		})
		var got []string
		for _, note := range report.Notes {
			if fields := strings.Fields(note.Text); note.Code == runtime.NoteNotAwaited && fields[4] != `"end"` {
				got = append(got, fields[6])
			}
		}
		if report.Outcome != runtime.OutcomeOK || strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q\n%s", body, got, want, report)
		}
	}
}

// TestShutdown: what runs may end by itself while there is time, and no longer.
func TestShutdown(t *testing.T) {
	t.Parallel()
	for _, patient := range []bool{true, false} {
		called, release := make(chan struct{}), make(chan struct{})
		gatekeeper := tool("gatekeeper", func(ctx context.Context, _ hostapi.Call) (hostapi.Result, error) {
			close(called)
			select {
			case <-release:
				return hostapi.Succeed("through"), nil
			case <-ctx.Done():
				return hostapi.Result{}, ctx.Err()
			}
		})
		runner := newRunner(t, runtime.Options{Tools: []hostapi.Tool{gatekeeper}})
		program, err := runner.Compile(t.Context(), runtime.Source{Name: "t.js", Body: []byte("return (await ctx.tool('gatekeeper')).output"), FunctionBody: true})
		if err != nil {
			t.Fatal(err)
		}
		request := runtime.Request{Program: program, Allow: []hostapi.Rule{{Tool: "gatekeeper"}}}
		ended := make(chan *runtime.Report, 1)
		go func() { ended <- runner.Run(t.Context(), request) }()
		<-called
		ctx, cancel := context.WithCancel(t.Context())
		closed := make(chan error, 1)
		go func() { closed <- runner.Shutdown(ctx) }()
		want := runtime.OutcomeCancelled
		if patient {
			want = runtime.OutcomeOK
			close(release)
		} else {
			cancel()
		}
		if report := <-ended; report.Outcome != want {
			t.Errorf("patient %v: %s", patient, report)
		}
		if err := <-closed; err != nil {
			t.Error(err)
		}
		cancel()
		if report := runner.Run(t.Context(), request); report.Outcome != runtime.OutcomeCancelled || !errors.Is(report.Err(), runtime.ErrClosed) || !runner.Closed() {
			t.Errorf("after it: %s", report)
		}
	}
}
