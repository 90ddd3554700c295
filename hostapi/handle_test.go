package hostapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
)

// endless is a tool whose calls go on until they are ended.
type endless struct {
	hostapi.Func
	start func(hostapi.Call) (hostapi.Handle, hostapi.Result, error)
}

func (e *endless) Start(_ context.Context, call hostapi.Call) (hostapi.Handle, hostapi.Result, error) {
	return e.start(call)
}

// atOnce is what calls do that nobody starts.
func atOnce(context.Context, hostapi.Call) (hostapi.Result, error) { return hostapi.Succeed(""), nil }

// task is a handle: its work ends when something is sent, or ctx ends.
type task struct {
	end    chan hostapi.Result
	closed chan struct{}
}

func newTask() *task {
	return &task{end: make(chan hostapi.Result, 1), closed: make(chan struct{})}
}

func (t *task) Wait(ctx context.Context) (hostapi.Result, error) {
	select {
	case r := <-t.end:
		return r, nil
	case <-t.closed:
		return hostapi.Result{Outcome: hostapi.OutcomeCancelled}, nil
	case <-ctx.Done():
		return hostapi.Result{}, ctx.Err()
	}
}

func (t *task) Operate(_ context.Context, operation string, args json.RawMessage) (hostapi.Result, error) {
	switch operation {
	case "echo", hostapi.OperationWrite:
		return hostapi.Result{Data: args}, nil
	case "panic":
		panic("at the disco")
	}
	return hostapi.Result{}, fmt.Errorf("no operation %q", operation)
}

func (t *task) Close() error {
	close(t.closed)
	return nil
}

// backgroundGate is a gate with one tool, "work", whose handles are sent to
// the channel as they are made.
func backgroundGate(t *testing.T, quota hostapi.Quota) (*hostapi.Gate, chan *task) {
	t.Helper()
	made := make(chan *task, 100)
	tool := &endless{Func: hostapi.Func{ToolName: "work", Do: atOnce}}
	tool.start = func(call hostapi.Call) (hostapi.Handle, hostapi.Result, error) {
		switch string(call.Args) {
		case `{"how":"panic"}`:
			panic("at once")
		case `{"how":"fail"}`:
			return nil, hostapi.Fail("it did not begin"), nil
		}
		h := newTask()
		made <- h
		return h, hostapi.Result{}, nil
	}
	registry, err := hostapi.NewRegistry(tool, &hostapi.Func{ToolName: "plain", Do: func(context.Context, hostapi.Call) (hostapi.Result, error) {
		return hostapi.Succeed(""), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	gate := hostapi.NewGate(t.Context(), hostapi.GateConfig{Registry: registry, Policies: []hostapi.Policy{hostapi.AllowList{{Tool: "work"}, {Tool: "plain"}}}, Quota: quota})
	t.Cleanup(func() { gate.Close(time.Minute) })
	return gate, made
}

func begin(t *testing.T, gate *hostapi.Gate, seq int, args string) (hostapi.Result, error) {
	t.Helper()
	issued, err := gate.Issue(t.Context(), hostapi.Call{Seq: seq, Tool: "work", Args: json.RawMessage(args), Background: true})
	if err != nil {
		return hostapi.Result{}, err
	}
	return issued.Start(t.Context())
}

func TestHandleFromStartToRelease(t *testing.T) {
	t.Parallel()
	gate, made := backgroundGate(t, hostapi.Quota{})
	result, err := begin(t, gate, 1, "{}")
	if err != nil || result.Outcome != hostapi.OutcomeOK {
		t.Fatalf("start: %+v, %v", result, err)
	}
	if row := gate.Records()[0]; !row.Ended.IsZero() || !row.Background {
		t.Errorf("the row of what goes on is %+v", row)
	}
	result, err = gate.Operate(t.Context(), 1, "echo", json.RawMessage(`{"a":1}`))
	if err != nil || string(result.Data) != `{"a":1}` {
		t.Errorf("operate: %+v, %v", result, err)
	}
	if _, err := gate.Operate(t.Context(), 1, "fly", nil); !errors.Is(err, hostapi.ErrInvalidArgs) {
		t.Errorf("an operation that there is not: %v", err)
	}
	if result, err := gate.Operate(t.Context(), 1, "panic", nil); err != nil || result.Outcome != hostapi.OutcomeFailed {
		t.Errorf("a panic: %+v, %v", result, err)
	}
	work := <-made
	work.end <- hostapi.Result{ExitCode: 7, Output: "done", Bytes: 4}
	for range 2 {
		result, err = gate.Operate(t.Context(), 1, hostapi.OperationWait, nil)
		if err != nil || result.ExitCode != 7 || result.Outcome != hostapi.OutcomeFailed || result.Output != "done" {
			t.Errorf("wait: %+v, %v", result, err)
		}
	}
	if row := gate.Records()[0]; row.Status != hostapi.StatusFailed || row.ExitCode != 7 || row.Ended.IsZero() {
		t.Errorf("the row is %+v", row)
	}
	for range 2 {
		if result, err := gate.Operate(t.Context(), 1, hostapi.OperationRelease, nil); err != nil || result.Outcome != "" && result.Outcome != hostapi.OutcomeOK {
			t.Errorf("release: %+v, %v", result, err)
		}
	}
	<-work.closed
	var missing *hostapi.NotFoundError
	for _, operation := range []string{"echo", hostapi.OperationWait} {
		if _, err := gate.Operate(t.Context(), 1, operation, nil); !errors.As(err, &missing) || hostapi.CodeOf(err) != hostapi.CodeNotFound {
			t.Errorf("%s after release: %v", operation, err)
		}
	}
	if calls, _ := gate.Used(); calls != 1 {
		t.Errorf("%d calls were counted; operations are none", calls)
	}
}

// TestWhatEndedCallsKeepIsBounded: their results are there until they are released, and then
// there is room for more.
func TestWhatEndedCallsKeepIsBounded(t *testing.T) {
	t.Parallel()
	gate, made := backgroundGate(t, hostapi.Quota{MaxToolCalls: 100, MaxBackground: 100, MaxBackgroundBytes: 4000})
	started := 0
	finish := func() error { // one more call, with 1,000 bytes of output
		started++
		if _, err := begin(t, gate, started, "{}"); err != nil {
			return err
		}
		(<-made).end <- hostapi.Succeed(strings.Repeat("x", 1000))
		result, err := gate.Operate(t.Context(), started, hostapi.OperationWait, nil)
		if len(result.Output) != 1000 {
			t.Errorf("the result of call %d is %+v", started, result)
		}
		return err
	}
	var over *hostapi.QuotaError
	for !errors.As(finish(), &over) {
		if started == 10 {
			t.Fatal("ten results of 1,000 bytes are kept, within 4,000")
		}
	}
	if over.Limit != hostapi.LimitBackgroundBytes || over.Max != 4000 || over.Asked < 4000 || !strings.Contains(over.Error(), "release") {
		t.Errorf("one too many: %+v: %v", over, over)
	}
	if started < 3 {
		t.Errorf("call %d was refused", started)
	}
	for seq := 1; seq < started; seq++ {
		if _, err := gate.Operate(t.Context(), seq, hostapi.OperationRelease, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := finish(); err != nil {
		t.Errorf("all were released, and there is still no room: %v", err)
	}
	// What was released before its end keeps nothing.
	for range 20 {
		started++
		if _, err := begin(t, gate, started, "{}"); err != nil {
			t.Fatal(err)
		}
		(<-made).end <- hostapi.Succeed(strings.Repeat("x", 1000))
		if _, err := gate.Operate(t.Context(), started, hostapi.OperationRelease, nil); err != nil {
			t.Fatal(err)
		}
	}
}

func TestBackgroundIsBounded(t *testing.T) {
	t.Parallel()
	gate, made := backgroundGate(t, hostapi.Quota{MaxToolCalls: 100, MaxBackground: 2})
	for seq := 1; seq <= 2; seq++ {
		if _, err := begin(t, gate, seq, "{}"); err != nil {
			t.Fatal(err)
		}
	}
	var over *hostapi.QuotaError
	if _, err := begin(t, gate, 3, "{}"); !errors.As(err, &over) || over.Limit != hostapi.LimitBackground || over.Max != 2 || over.Asked != 3 {
		t.Errorf("one too many: %v", err)
	}
	(<-made).end <- hostapi.Succeed("")
	if _, err := gate.Operate(t.Context(), 1, hostapi.OperationWait, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := begin(t, gate, 4, "{}"); err != nil {
		t.Errorf("one has ended, and there is still no place: %v", err)
	}
	// What did not begin takes no place.
	(<-made).end <- hostapi.Succeed("")
	if _, err := gate.Operate(t.Context(), 2, hostapi.OperationWait, nil); err != nil {
		t.Fatal(err)
	}
	for seq := 5; seq < 15; seq++ {
		args := `{"how":"fail"}`
		if seq%2 == 0 {
			args = `{"how":"panic"}`
		}
		if result, err := begin(t, gate, seq, args); err != nil || result.Outcome != hostapi.OutcomeFailed {
			t.Errorf("call %d: %+v, %v", seq, result, err)
		}
	}
	if _, err := begin(t, gate, 15, "{}"); err != nil {
		t.Error(err)
	}
}

func TestRunsEndEndsBackground(t *testing.T) {
	t.Parallel()
	gate, made := backgroundGate(t, hostapi.Quota{})
	if _, err := begin(t, gate, 1, "{}"); err != nil {
		t.Fatal(err)
	}
	if gate.Close(time.Minute) != nil {
		t.Error("it did not settle")
	}
	<-(<-made).closed
	if row := gate.Records()[0]; row.Status != hostapi.StatusCancelled {
		t.Errorf("the row is %+v", row)
	}
	if _, err := begin(t, gate, 2, "{}"); err == nil {
		t.Error("a call after the end was begun")
	}
	if _, err := gate.Operate(t.Context(), 1, "echo", nil); err == nil {
		t.Error("an operation after the end went through")
	}
}

func TestOnlyStartersStart(t *testing.T) {
	t.Parallel()
	gate, _ := backgroundGate(t, hostapi.Quota{})
	_, err := gate.Issue(t.Context(), hostapi.Call{Seq: 1, Tool: "plain", Background: true})
	if !errors.Is(err, hostapi.ErrInvalidArgs) {
		t.Errorf("got %v", err)
	}
}
