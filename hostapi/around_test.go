package hostapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/scriptrun/scriptrun/hostapi"
)

// diary is an [hostapi.Around] that notes what passes it.
type diary struct {
	mu    sync.Mutex
	lines []string
}

func (d *diary) note(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

func (d *diary) read() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.lines)
}

func (d *diary) around(name string) hostapi.Around {
	return func(ctx context.Context, call hostapi.Call, next func(context.Context) (hostapi.Result, error)) (hostapi.Result, error) {
		what := strings.TrimSpace(call.Tool + " " + call.Operation)
		d.note("%s>%s", name, what)
		result, err := next(context.WithValue(ctx, nameKey{}, name))
		d.note("%s<%s %s", name, what, result.Outcome)
		return result, err
	}
}

type nameKey struct{}

// aroundGate is a gate that allows tools, and has something around its calls.
func aroundGate(t *testing.T, around []hostapi.Around, tools ...hostapi.Tool) *hostapi.Gate {
	t.Helper()
	registry, err := hostapi.NewRegistry(tools...)
	if err != nil {
		t.Fatal(err)
	}
	var list hostapi.AllowList
	for _, tool := range tools {
		list = append(list, hostapi.Rule{Tool: tool.Name()})
	}
	gate := hostapi.NewGate(t.Context(), hostapi.GateConfig{Registry: registry, Policies: []hostapi.Policy{list}, Around: around, Quota: hostapi.Quota{MaxResultBytes: 64 << 10}})
	t.Cleanup(func() { gate.Close(time.Minute) })
	return gate
}

// TestAroundSeesCallsAndOperations: what passes, in which order, what was refused too; the
// context goes on to the tool.
func TestAroundSeesCallsAndOperations(t *testing.T) {
	t.Parallel()
	d := &diary{}
	work := newTask()
	tool := &endless{Func: hostapi.Func{ToolName: "work", Do: func(ctx context.Context, call hostapi.Call) (hostapi.Result, error) {
		d.note("tool in %v, decided %s", ctx.Value(nameKey{}), call.Decision.Verdict)
		return hostapi.Succeed("done"), nil
	}}}
	tool.start = func(hostapi.Call) (hostapi.Handle, hostapi.Result, error) { return work, hostapi.Result{}, nil }
	gate := aroundGate(t, []hostapi.Around{d.around("a"), d.around("b")}, tool)
	if r, err := gate.Invoke(t.Context(), hostapi.Call{Tool: "work"}); err != nil || r.Output != "done" {
		t.Errorf("got %+v, %v", r, err)
	}
	if _, err := gate.Invoke(t.Context(), hostapi.Call{Tool: "other"}); !errors.Is(err, hostapi.ErrDenied) {
		t.Errorf("got %v", err)
	}
	if _, err := begin(t, gate, 3, "{}"); err != nil {
		t.Fatal(err)
	}
	if r, err := gate.Operate(t.Context(), 3, "echo", json.RawMessage(`{"a":1}`)); err != nil || string(r.Data) != `{"a":1}` {
		t.Errorf("got %+v, %v", r, err)
	}
	if _, err := gate.Operate(t.Context(), 3, "nonsense", nil); !errors.Is(err, hostapi.ErrInvalidArgs) {
		t.Errorf("got %v", err)
	}
	work.end <- hostapi.Succeed("over")
	if r, err := gate.Operate(t.Context(), 3, hostapi.OperationWait, nil); err != nil || r.Output != "over" {
		t.Errorf("got %+v, %v", r, err)
	}
	if _, err := gate.Operate(t.Context(), 3, hostapi.OperationRelease, nil); err != nil {
		t.Error(err)
	}
	var lines []string // the end of the work and that of the wait for it are told in any order
	for _, line := range d.read() {
		if !strings.Contains(line, "<work ok") || len(lines) < 10 {
			lines = append(lines, line)
		}
	}
	want := []string{
		"a>work", "b>work", "tool in b, decided allow", "b<work ok", "a<work ok",
		"a>other", "b>other", "b<other ", "a<other ",
		"a>work", "b>work", "a>work echo", "b>work echo", "b<work echo ok", "a<work echo ok",
		"a>work nonsense", "b>work nonsense", "b<work nonsense ", "a<work nonsense ",
		"a>work wait", "b>work wait", "b<work wait ok", "a<work wait ok",
		"a>work release", "b>work release", "b<work release ok", "a<work release ok",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
	var kept []string
	for _, op := range gate.Records()[2].Operations {
		kept = append(kept, fmt.Sprintf("%s %s %s %t", op.Name, op.Args, op.Status, op.Ended.IsZero() || op.Err != ""))
	}
	if diff := cmp.Diff([]string{`echo {"a":1} ok false`, "nonsense {} failed true", "wait {} ok false", "release {} ok false"}, kept); diff != "" {
		t.Error(diff)
	}
}

// TestAroundChangesNoCut: what is cut says the same with something around it.
func TestAroundChangesNoCut(t *testing.T) {
	t.Parallel()
	long := &hostapi.Func{ToolName: "work", Do: func(context.Context, hostapi.Call) (hostapi.Result, error) {
		text := strings.Repeat("y", 2<<20)
		return hostapi.Result{Output: strings.Repeat("x", 1<<20), Text: &text, Data: json.RawMessage(`"` + strings.Repeat("z", 1<<20) + `"`)}, nil
	}}
	d := &diary{}
	plain, err := aroundGate(t, nil, long).Invoke(t.Context(), hostapi.Call{Tool: "work"})
	if err != nil {
		t.Fatal(err)
	}
	seen, err := aroundGate(t, []hostapi.Around{d.around("a"), d.around("b")}, long).Invoke(t.Context(), hostapi.Call{Tool: "work"})
	if err != nil || seen.Output != plain.Output || *seen.Text != *plain.Text || string(seen.Metadata) != string(plain.Metadata) || seen.Bytes != plain.Bytes {
		t.Errorf("%v, %.200s, %s", err, seen.Output[len(seen.Output)/2-100:], seen.Metadata)
	}
	more := func(ctx context.Context, _ hostapi.Call, next func(context.Context) (hostapi.Result, error)) (hostapi.Result, error) {
		result, err := next(ctx)
		result.Output += result.Output
		return result, err
	}
	if added, err := aroundGate(t, []hostapi.Around{more}, long).Invoke(t.Context(), hostapi.Call{Tool: "work"}); err != nil || len(added.Output) > len(plain.Output)+100 {
		t.Errorf("%v, %d bytes", err, len(added.Output))
	}
}

// TestAroundMayAnswer: what it returns is what the script gets, and its faults are
// failed calls, in the foreground, in the background and of operations.
func TestAroundMayAnswer(t *testing.T) {
	t.Parallel()
	answers := map[string]struct {
		around hostapi.Around
		want   string
	}{
		"by itself": {func(context.Context, hostapi.Call, func(context.Context) (hostapi.Result, error)) (hostapi.Result, error) {
			return hostapi.Succeed("recorded"), nil
		}, "ok recorded"},
		"with an error": {func(context.Context, hostapi.Call, func(context.Context) (hostapi.Result, error)) (hostapi.Result, error) {
			return hostapi.Result{}, errors.New("the audit is full")
		}, "failed the audit is full"},
		"with a panic": {func(context.Context, hostapi.Call, func(context.Context) (hostapi.Result, error)) (hostapi.Result, error) {
			panic("at the disco")
		}, "failed an Around of the host panicked: at the disco; this is a bug in the host"},
		"with no JSON": {func(context.Context, hostapi.Call, func(context.Context) (hostapi.Result, error)) (hostapi.Result, error) {
			return hostapi.Result{Data: json.RawMessage("no")}, nil
		}, `failed tool "work" answered with data that is not JSON; this is a bug of the tool`},
	}
	for name, c := range answers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			started := 0
			tool := &endless{Func: hostapi.Func{ToolName: "work", Do: func(context.Context, hostapi.Call) (hostapi.Result, error) {
				started++
				return hostapi.Succeed("made"), nil
			}}}
			tool.start = func(hostapi.Call) (hostapi.Handle, hostapi.Result, error) {
				started++
				return newTask(), hostapi.Result{}, nil
			}
			gate := aroundGate(t, []hostapi.Around{c.around}, tool)
			if r, err := gate.Invoke(t.Context(), hostapi.Call{Tool: "work"}); err != nil || fmt.Sprint(r.Outcome, " ", r.Output) != c.want {
				t.Errorf("got %+v, %v", r, err)
			}
			if r, err := begin(t, gate, 2, "{}"); err != nil || fmt.Sprint(r.Outcome, " ", r.Output) != c.want {
				t.Errorf("in the background: %+v, %v", r, err)
			}
			for i, row := range gate.Records() {
				if row.Ended.IsZero() || string(row.Status)+" "+row.Err != c.want && row.Err != "" {
					t.Errorf("row %d: %+v", i, row)
				}
			}
			if started != 0 {
				t.Errorf("the tool was called %d times", started)
			}
		})
	}
}

// TestAroundSeesWhyACallIsRefused: by whom, with which rule, before the script does; and
// nothing that it does makes the call.
func TestAroundSeesWhyACallIsRefused(t *testing.T) {
	t.Parallel()
	invoked := 0
	tool := &hostapi.Func{ToolName: "work", Do: func(context.Context, hostapi.Call) (hostapi.Result, error) {
		invoked++
		return hostapi.Succeed("done"), nil
	}}
	registry, err := hostapi.NewRegistry(tool)
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	around := func(ctx context.Context, call hostapi.Call, next func(context.Context) (hostapi.Result, error)) (hostapi.Result, error) {
		_, err := next(ctx)
		seen = append(seen, fmt.Sprintf("%d %s %s %q %t %t", call.Seq, call.Tool, call.Decision.Verdict, call.Decision.Rule.From, errors.Is(err, hostapi.ErrDenied), errors.Is(call.Refused, err)))
		if call.Seq == 3 {
			panic("at the disco")
		}
		return hostapi.Succeed("recorded"), nil
	}
	deny := hostapi.Rules{Deny: []hostapi.Rule{{Tool: "work", From: "config.toml:3:9"}}}
	gate := hostapi.NewGate(t.Context(), hostapi.GateConfig{
		Registry: registry, Policies: []hostapi.Policy{hostapi.AllowList{{Tool: "work"}}, deny}, Around: []hostapi.Around{around},
	})
	t.Cleanup(func() { gate.Close(time.Minute) })
	for _, name := range []string{"work", "other", "work"} {
		if r, err := gate.Invoke(t.Context(), hostapi.Call{Tool: name}); !errors.Is(err, hostapi.ErrDenied) || r.Output != "" {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	if diff := cmp.Diff([]string{`1 work deny "config.toml:3:9" true true`, `2 other deny "" true true`, `3 work deny "config.toml:3:9" true true`}, seen); diff != "" {
		t.Error(diff)
	}
	if invoked != 0 {
		t.Errorf("the tool was called %d times", invoked)
	}
}

// TestAroundSeesTheWholeOfWorkInTheBackground: next returns when the work has ended,
// and does not start it twice.
func TestAroundSeesTheWholeOfWorkInTheBackground(t *testing.T) {
	t.Parallel()
	work, ended, again := newTask(), make(chan hostapi.Result, 1), make(chan error, 1)
	tool := &endless{Func: hostapi.Func{ToolName: "work", Do: atOnce}}
	tool.start = func(hostapi.Call) (hostapi.Handle, hostapi.Result, error) { return work, hostapi.Succeed("begun"), nil }
	gate := aroundGate(t, []hostapi.Around{func(ctx context.Context, call hostapi.Call, next func(context.Context) (hostapi.Result, error)) (hostapi.Result, error) {
		result, err := next(ctx)
		if call.Operation == "" {
			ended <- result
			_, err := next(ctx)
			again <- err
		}
		return result, err
	}}, tool)
	if r, err := begin(t, gate, 1, "{}"); err != nil || r.Output != "begun" {
		t.Fatalf("got %+v, %v", r, err)
	}
	select {
	case r := <-ended:
		t.Fatalf("it ended with %+v", r)
	default:
	}
	work.end <- hostapi.Succeed("over")
	if r := <-ended; r.Output != "over" {
		t.Errorf("got %+v", r)
	}
	if err := <-again; err == nil {
		t.Error("it was started again")
	}
}

// TestOperationsOnTheLedgerAreBounded: the first are kept, the others counted, and one
// that is under way when the gate is closed is cancelled.
func TestOperationsOnTheLedgerAreBounded(t *testing.T) {
	t.Parallel()
	gate, made := backgroundGate(t, hostapi.Quota{})
	if _, err := begin(t, gate, 1, "{}"); err != nil {
		t.Fatal(err)
	}
	<-made
	waited := make(chan hostapi.Result, 1)
	go func() {
		result, _ := gate.Operate(t.Context(), 1, hostapi.OperationWait, nil) // the work may end before the wait does
		waited <- result
	}()
	for len(gate.Records()[0].Operations) == 0 { // it has begun to wait
		time.Sleep(time.Millisecond) // nothing tells
	}
	long := json.RawMessage(`"` + strings.Repeat("x", 4<<10) + `"`)
	for range 1000 {
		if _, err := gate.Operate(t.Context(), 1, "echo", long); err != nil {
			t.Fatal(err)
		}
	}
	gate.Close(time.Minute)
	if r := <-waited; r.Outcome == hostapi.OutcomeOK {
		t.Errorf("got %+v", r)
	}
	row := gate.Records()[0]
	if len(row.Operations) != 1000 || row.OperationsLeftOut != 1 {
		t.Fatalf("%d kept, %d left out", len(row.Operations), row.OperationsLeftOut)
	}
	for i, want := range []hostapi.Status{hostapi.StatusCancelled, hostapi.StatusOK, hostapi.StatusOK} {
		if op := row.Operations[i]; op.Status != want || len(op.Args) > 1<<10 || !json.Valid(op.Args) || op.Ended.IsZero() {
			t.Errorf("operation %d: %+v", i, op)
		}
	}
}
