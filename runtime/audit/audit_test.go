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

func (k *kept) sink(_ context.Context, line []byte) error {
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
	runner, err := runtime.New(runtime.Options{
		Tools: tools, Around: []hostapi.Around{log.Around}, AroundRuns: []runtime.AroundRun{log.AroundRun},
		Policies: []hostapi.Policy{hostapi.Rules{Deny: []hostapi.Rule{{Tool: "secret", From: "config.toml:2:9"}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	var allow []hostapi.Rule
	for _, tool := range tools {
		allow = append(allow, hostapi.Rule{Tool: tool.Name()})
	}
	return runner.Run(t.Context(), runtime.Request{
		Tool: "probe", Source: &runtime.Source{Name: "probe.js", Body: []byte(body), FunctionBody: true},
		Inputs: json.RawMessage(`{"path":"src"}`), Allow: allow, Caller: "editor", Limits: runtime.Limits{MaxToolCalls: 4},
	})
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
	secret := &hosttest.Fake{ToolName: "secret", Answer: hostapi.Succeed("42")}
	report := audited(t, log, `
		await ctx.tool('outer', {n: 1});
		for (const name of ['secret', 'unknown', 'inner', 'inner', 'inner']) await ctx.tool(name, {}).catch(() => 0);
		return 'done'`, inner, outer, secret)
	if report.Outcome != runtime.OutcomeOK {
		t.Fatal(report)
	}
	var lines []string
	for _, e := range k.entries {
		if e.User != "root (0)" || e.Caller != "editor" || e.Run != report.Run || e.Trace != "4bf9" || e.Time.IsZero() || (e.DurationMS == nil) != (e.Event == audit.EventRunBegan) {
			t.Errorf("got %+v", e)
		}
		exit := ""
		if e.ExitCode != nil {
			exit = fmt.Sprint(*e.ExitCode)
		}
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %d<%d %s %s %q %q %s%s exit=%s cwd=%s env=%s limit=%s %.20s", e.Event, e.Tool, e.Seq, e.Parent, e.Args, e.Verdict, e.Rule, e.RuleFrom, e.Status, e.Outcome, exit, e.Cwd, e.Environment, e.Limit, e.Error)))
	}
	want := []string{
		`run_began probe 0<0 {"path":"src"}  "" ""  exit= cwd= env= limit=`,
		`call inner 2<1 {"deep":true} allow "inner" "" failed exit=3 cwd=/w env=ci limit= no such thing`,
		`call outer 1<0 {"n":1} allow "outer" "" failed exit=3 cwd=/w env=ci limit= no such thing`,
		`call secret 3<0 {} deny "secret" "config.toml:2:9" denied exit= cwd= env= limit= tool "secret": the o`,
		`call unknown 4<0 {} deny "" "" denied exit= cwd= env= limit= tool "unknown" is no`,
		`call inner 5<0 {} allow "inner" "" failed exit=3 cwd=/w env=ci limit= no such thing`,
		`call inner 6<0 {} allow "inner" "" failed exit=3 cwd=/w env=ci limit= no such thing`,
		`call inner 7<0 {} allow "inner" "" over_limit exit= cwd= env= limit=maxToolCalls exceeded maxToolCall`,
		`run probe 0<0   "" "" ok exit= cwd= env= limit=`,
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
	if last := k.entries[len(k.entries)-1]; last.Calls == nil || *last.Calls != len(report.Calls) || last.Source != "probe.js" || last.Digest != report.Digest {
		t.Errorf("got %+v", last)
	}
}

// TestACallThatTheEndOvertakesHasALine: it is told of once, whatever comes of it later.
func TestACallThatTheEndOvertakesHasALine(t *testing.T) {
	t.Parallel()
	k := &kept{}
	slow := &hosttest.Fake{ToolName: "slow", Do: func(ctx context.Context, _ hostapi.Call) (hostapi.Result, error) {
		<-ctx.Done()
		return hostapi.Result{}, ctx.Err()
	}}
	report := audited(t, audit.New(audit.Options{To: k.sink}), "ctx.tool('slow'); ctx.tool('slow'); return 1", slow)
	told := map[int]int{}
	for _, e := range k.entries {
		if e.Event == audit.EventCall {
			told[e.Seq]++
			if e.Status != hostapi.StatusCancelled {
				t.Errorf("got %+v", e)
			}
		}
	}
	if diff := cmp.Diff(map[int]int{1: 1, 2: 1}, told); diff != "" || len(report.Calls) != 2 {
		t.Errorf("%s, %d calls", diff, len(report.Calls))
	}
}

// TestWhatIsRequiredAndCannotBeWritten: whichever line it is, the run ends as cancelled and
// says why, without a value; where it is not required, somebody is told and the run goes on.
func TestWhatIsRequiredAndCannotBeWritten(t *testing.T) {
	t.Parallel()
	full := errors.New("no space left on device")
	for event, wantCalls := range map[string]int{audit.EventRunBegan: 0, audit.EventCall: 1, audit.EventRun: 2} {
		for _, require := range []bool{true, false} {
			t.Run(fmt.Sprint(event, " ", require), func(t *testing.T) {
				t.Parallel()
				k := &kept{fail: func(e audit.Entry) error {
					if e.Event == event {
						return full
					}
					return nil
				}}
				var failed []error
				tool := &hosttest.Fake{ToolName: "t", Answer: hostapi.Succeed("x")}
				log := audit.New(audit.Options{To: k.sink, Require: require, Failed: func(err error) { failed = append(failed, err) }})
				report := audited(t, log, "await ctx.tool('t'); await ctx.tool('t'); return 'secret'", tool)
				calls := len(tool.Calls())
				if len(failed) == 0 || !errors.Is(failed[0], full) {
					t.Fatalf("told %v", failed)
				}
				if !require {
					if report.Outcome != runtime.OutcomeOK || calls != 2 {
						t.Errorf("%s, %d calls", report, calls)
					}
					return
				}
				const says = "the run was cancelled: it cannot be recorded in the audit log, which is required: no space left on device"
				if report.Outcome != runtime.OutcomeCancelled || report.Value != nil || report.Text != "" || !strings.HasPrefix(report.Failure.Message, says) || !errors.Is(report.Err(), full) {
					t.Errorf("%s\n%+v", report, report.Failure)
				}
				if calls != wantCalls {
					t.Errorf("%d calls were made", calls)
				}
			})
		}
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
