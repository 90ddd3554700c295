package audit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/hosttest"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/runtime/audit"
)

func TestMain(m *testing.M) {
	runtime.WorkerMain()
	m.Run()
}

// kept is a sink that keeps entries, and fails at those that fail says.
type kept struct {
	mu      sync.Mutex
	entries []audit.Entry
	fail    func(audit.Entry) error
}

func (k *kept) sink(ctx context.Context, line []byte) error {
	if ctx.Err() != nil {
		return ctx.Err() // a line is written after the end of what it tells of
	}
	var entry audit.Entry
	if err := json.Unmarshal(line, &entry); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.entries = append(k.entries, entry)
	if k.fail != nil {
		return k.fail(entry)
	}
	return nil
}

// audited runs the body of a script with a log.
func audited(t *testing.T, log *audit.Log, body string, tools ...hostapi.Tool) *runtime.Report {
	t.Helper()
	runner := auditor(t, log, tools...)
	defer runner.Close()
	report := runner.Run(t.Context(), asking(body, tools...))
	if runs := log.Runs(); runs != 0 {
		t.Errorf("the log still has %d runs", runs)
	}
	return report
}

func auditor(t *testing.T, log *audit.Log, tools ...hostapi.Tool) *runtime.Runner {
	t.Helper()
	runner, err := runtime.New(runtime.Options{
		Tools: tools, Around: []hostapi.Around{log.Around}, AroundRuns: []runtime.AroundRun{log.AroundRun},
		Policies: []hostapi.Policy{hostapi.Rules{Deny: []hostapi.Rule{{Tool: "secret", From: "config.toml:2:9"}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return runner
}

func asking(body string, tools ...hostapi.Tool) runtime.Request {
	request := runtime.Request{
		Tool: "probe", Source: &runtime.Source{Name: "probe.js", Body: []byte(body), FunctionBody: true},
		Inputs: json.RawMessage(`{"path":"src"}`), Caller: "editor", Limits: runtime.Limits{MaxToolCalls: 4},
	}
	for _, tool := range tools {
		request.Allow = append(request.Allow, hostapi.Rule{Tool: tool.Name()})
	}
	return request
}

// planner is a tool whose calls have a plan, and can run in the background.
type planner struct{ hosttest.Fake }

func (*planner) CheckPattern(string) error { return nil }

func (*planner) Plan(_ context.Context, call hostapi.Call) (hostapi.Plan, error) {
	var args struct{ Command string }
	if err := json.Unmarshal(call.Args, &args); err != nil || args.Command == "opaque" {
		return nil, errors.Join(err, &hostapi.OpaqueError{Reason: "it is in cipher"})
	}
	return plan(args.Command), nil
}

func (*planner) Start(context.Context, hostapi.Call) (hostapi.Handle, hostapi.Result, error) {
	return handle{}, hostapi.Succeed("begun"), nil
}

// plan is a command and what follows it.
type plan string

func (p plan) Subjects() []hostapi.Subject {
	if p == "bug" {
		panic("at the disco")
	}
	subjects := []hostapi.Subject{p}
	for len(p) > 99 && len(subjects) < 40 {
		subjects = append(subjects, plan("more"))
	}
	return subjects
}
func (p plan) String() string    { return string(p) }
func (p plan) Match(string) bool { return false }

type handle struct{}

func (handle) Wait(ctx context.Context) (hostapi.Result, error) {
	<-ctx.Done()
	return hostapi.Result{}, ctx.Err()
}

func (handle) Operate(_ context.Context, operation string, _ json.RawMessage) (hostapi.Result, error) {
	return hostapi.Succeed(operation), nil
}
func (handle) Close() error { return nil }

// told is an entry as one line of a test.
func told(e audit.Entry) string {
	exit := ""
	if e.ExitCode != nil {
		exit = fmt.Sprint(*e.ExitCode)
	}
	operation := ""
	if e.Operation != "" {
		operation = e.Operation + " of "
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s %s%d<%d %s %s %q %q %s%s exit=%s cwd=%s env=%s limit=%s %.20s",
		e.Event, e.Tool, operation, e.Seq, e.Parent, e.Args, e.Verdict, e.Rule, e.RuleFrom, e.Status, e.Outcome, exit, e.Cwd, e.Environment, e.Limit, e.Error))
}

// TestEveryRunCallAndOperationHasALine: in order, refused ones too, with who, what was
// decided by which rule, what it came to, and how it ended.
func TestEveryRunCallAndOperationHasALine(t *testing.T) {
	t.Parallel()
	k := &kept{}
	log := audit.New(audit.Options{To: k.sink, User: "root (0)", Trace: func(context.Context) string { return "4bf9" }})
	inner := &hosttest.Fake{ToolName: "inner", Answer: hostapi.Result{ExitCode: 3, Output: "no such thing", Metadata: json.RawMessage(`{"cwd":"/w","environment":"ci"}`)}}
	outer := &hosttest.Fake{ToolName: "outer", Do: func(ctx context.Context, call hostapi.Call) (hostapi.Result, error) {
		return call.Invoke(ctx, "inner", json.RawMessage(`{"deep":true}`))
	}}
	secret, bash := &planner{hosttest.Fake{ToolName: "secret"}}, &planner{hosttest.Fake{ToolName: "bash"}}
	report := audited(t, log, `
		await ctx.tool('outer', {n: 1});
		const task = await ctx.shell.start('make');
		await task.output();
		await task.output();
		for (const name of ['secret', 'unknown', 'inner', 'inner']) await ctx.tool(name, {}).catch(() => 0);
		return 'done'`, inner, outer, secret, bash)
	if report.Outcome != runtime.OutcomeOK {
		t.Fatal(report)
	}
	var lines []string
	for _, e := range k.entries {
		if e.User != "root (0)" || e.Caller != "editor" || e.Run != report.Run || e.Trace != "4bf9" || e.Time.IsZero() || (e.DurationMS == nil) != (e.Event == audit.EventRunBegan) {
			t.Errorf("got %+v", e)
		}
		lines = append(lines, told(e))
		plan := "[]"
		if e.Event == audit.EventCall && e.Tool == "bash" {
			plan = `["make"]`
		}
		if fmt.Sprintf("%q", e.Plan) != plan || e.Opaque != "" {
			t.Errorf("the plan of %s is %q, %q", told(e), e.Plan, e.Opaque)
		}
	}
	want := []string{
		`run_began probe 0<0 {"path":"src"}  "" ""  exit= cwd= env= limit=`,
		`call inner 2<1 {"deep":true} allow "inner" "" failed exit=3 cwd=/w env=ci limit= no such thing`,
		`call outer 1<0 {"n":1} allow "outer" "" failed exit=3 cwd=/w env=ci limit= no such thing`,
		`operation bash output of 3<0 {} allow "bash" "" ok exit= cwd= env= limit=`,
		`operation bash output of 3<0 {} allow "bash" "" ok exit= cwd= env= limit=`,
		`call secret 4<0 {} deny "secret" "config.toml:2:9" denied exit= cwd= env= limit= tool "secret": the o`,
		`call unknown 5<0 {} deny "" "" denied exit= cwd= env= limit= tool "unknown" is no`,
		`call inner 6<0 {} allow "inner" "" failed exit=3 cwd=/w env=ci limit= no such thing`,
		`call inner 7<0 {} allow "inner" "" over_limit exit= cwd= env= limit=maxToolCalls exceeded maxToolCall`,
		`call bash 3<0 {"command":"make"} allow "bash" "" cancelled exit= cwd= env= limit= context canceled`,
		`run probe 0<0   "" "" ok exit= cwd= env= limit=`,
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
	if last := k.entries[len(k.entries)-1]; last.Calls == nil || *last.Calls != len(report.Calls) || last.Source != "probe.js" || last.Digest != report.Digest {
		t.Errorf("got %+v", last)
	}
}

// TestALineHasThePlan: as much of it as is bounded, or why there is none.
func TestALineHasThePlan(t *testing.T) {
	t.Parallel()
	k := &kept{}
	audited(t, audit.New(audit.Options{To: k.sink}), `
		for (const command of ['ls', 'l'.repeat(10000), 'opaque', 'bug']) await ctx.tool('bash', {command})`, &planner{hosttest.Fake{ToolName: "bash"}})
	var lines []string
	for _, e := range k.entries {
		if e.Event == audit.EventCall {
			lines = append(lines, fmt.Sprintf("%d+%d %t %s", len(e.Plan), e.PlanLeftOut, len(fmt.Sprint(e.Plan)) < 1000, e.Opaque))
		}
	}
	want := []string{"1+0 true ", "32+8 true ", "0+0 true it is in cipher", "0+0 true the tool's plan panicked; this is a bug of the tool: at the disco"}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
}

// TestACallThatTheEndOvertakesHasALine: it is told of once, whatever comes of it later, and
// also if its tool is deaf to the end.
func TestACallThatTheEndOvertakesHasALine(t *testing.T) {
	t.Parallel()
	k, begun, deaf := &kept{}, make(chan struct{}, 2), make(chan struct{})
	slow := &hosttest.Fake{ToolName: "slow", Do: func(ctx context.Context, call hostapi.Call) (hostapi.Result, error) {
		if call.Seq == 3 {
			<-begun
			<-begun
			return hostapi.Succeed(""), nil
		}
		begun <- struct{}{}
		<-ctx.Done()
		if call.Seq == 2 {
			<-deaf
		}
		return hostapi.Result{}, ctx.Err()
	}}
	runner := auditor(t, audit.New(audit.Options{To: k.sink}), slow)
	report := runner.Run(t.Context(), asking("ctx.tool('slow'); ctx.tool('slow'); await ctx.tool('slow'); throw new Error('over')", slow))
	close(deaf)
	if err := runner.Close(); err != nil || len(report.Calls) != 3 {
		t.Errorf("%s, %v", report, err)
	}
	var lines []string
	for _, e := range k.entries {
		if lines = append(lines, told(e)); e.Caller != "editor" {
			t.Errorf("got %+v", e)
		}
	}
	want := []string{
		`run_began probe 0<0 {"path":"src"}  "" ""  exit= cwd= env= limit=`,
		`call slow 3<0 {} allow "slow" "" ok exit=0 cwd= env= limit=`,
		`call slow 1<0 {} allow "slow" "" cancelled exit= cwd= env= limit= context canceled`,
		`call slow 2<0 {} allow "slow" "" cancelled exit= cwd= env= limit= cancelled: the run e`,
		`run probe 0<0   "" "" script_error exit= cwd= env= limit= over`,
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
}

// TestLinesAreBoundedAndHarmless: whatever a script, a client or a server puts there.
func TestLinesAreBoundedAndHarmless(t *testing.T) {
	t.Parallel()
	hostile := strings.Repeat("\x1b]0;x\x07\n\r\u009b31m\u202e\u2028\x7f\xff\"\\😀\U000e0041", 4000)
	encoded, err := json.Marshal(hostile)
	if err != nil {
		t.Fatal(err)
	}
	entry := audit.Entry{Event: audit.EventCall, User: hostile, Caller: hostile, Run: hostile, Trace: hostile, Tool: hostile, Operation: hostile,
		Site: hostile, Source: hostile, Args: encoded, Rule: hostile, RuleFrom: hostile, Plan: []string{hostile}, Opaque: hostile, Cwd: hostile, Environment: hostile, Limit: hostile, Signal: hostile, Error: hostile}
	line, err := entry.Line()
	if err != nil || len(line) > audit.MaxLine || bytes.Count(line, []byte("\n")) != 1 {
		t.Fatalf("%d bytes, %v", len(line), err)
	}
	for _, r := range strings.TrimSuffix(string(line), "\n") {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) {
			t.Fatalf("it has %U", r)
		}
	}
	var back audit.Entry
	if err := json.Unmarshal(line, &back); err != nil || !back.Cut || !strings.HasPrefix(back.Error, "\x1b]0;x\x07\n\r\u009b31m\u202e\u2028\x7f") {
		t.Errorf("%v, %.100q", err, back.Error)
	}
	small := audit.Entry{Plan: []string{"\U000e0041\u009b"}}
	if line, err = small.Line(); err != nil || json.Unmarshal(line, &back) != nil || back.Plan[0] != small.Plan[0] {
		t.Errorf("%s, %v", line, err)
	}
}

// TestSlogHasTheSameKeys, and its handler's error counts.
func TestSlogHasTheSameKeys(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	entry := audit.Entry{Event: audit.EventCall, Run: "R", Tool: "bash", Seq: 2, Args: json.RawMessage(`{"a":1}`), Plan: []string{"git log"}}
	if err := audit.Slog(slog.New(slog.NewJSONHandler(&out, nil)))(t.Context(), lineOf(t, entry)); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	delete(got, "time")
	want := map[string]any{"level": "INFO", "msg": "call", "run": "R", "tool": "bash", "seq": 2.0, "args": map[string]any{"a": 1.0}, "plan": []any{"git log"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func lineOf(t *testing.T, entry audit.Entry) []byte {
	t.Helper()
	line, err := entry.Line()
	if err != nil {
		t.Error(err)
	}
	return line
}

func readLines(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// TestManyWritersOfOneFile: no line is torn, whoever else appends.
func TestManyWritersOfOneFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state", "audit.jsonl")
	const writers, lines = 8, 50
	var all sync.WaitGroup
	for w := range writers {
		sink := audit.File(path) // as if it were another process
		all.Go(func() {
			for i := range lines {
				if err := sink(t.Context(), lineOf(t, audit.Entry{Run: fmt.Sprint(w), Seq: i, Error: strings.Repeat("x", 100*i)})); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	next := map[string]int{}
	for _, line := range readLines(t, path) {
		var e audit.Entry
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.Seq != next[e.Run] {
			t.Fatalf("%v: %.80q", err, line)
		}
		next[e.Run]++
	}
	if len(next) != writers || next["3"] != lines {
		t.Errorf("got %v", next)
	}
}
