package hosttest_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/hosttest"
)

func TestFakeConforms(t *testing.T) {
	t.Parallel()
	fake := &hosttest.Fake{ToolName: "deploy", Answer: hostapi.Succeed("done"), About: hostapi.Description{
		Summary: "deploy something", Effect: hostapi.EffectExec, Input: json.RawMessage(`{"type":"object","required":["to"]}`),
	}}
	hosttest.TestTool(t, fake, `{"to":"staging"}`)
	if n := len(fake.Calls()); n != 10 {
		t.Errorf("it was called %d times", n)
	}
}

func TestCall(t *testing.T) {
	t.Parallel()
	fake := &hosttest.Fake{ToolName: "add", Do: func(_ context.Context, call hostapi.Call) (hostapi.Result, error) {
		return hostapi.Succeed(string(call.Args)), nil
	}}
	if r := hosttest.Call(t, fake, `{"a":1}`); r.Output != `{"a":1}` || len(fake.Calls()) != 1 {
		t.Errorf("got %+v", r)
	}
}

func TestRecorder(t *testing.T) {
	t.Parallel()
	fake := &hosttest.Fake{ToolName: "add", Answer: hostapi.Succeed("3"), About: hostapi.Description{
		Summary: "add numbers", Effect: hostapi.EffectRead, Input: json.RawMessage(`{"type":"object","required":["a"]}`),
	}}
	recorder := &hosttest.Recorder{Tool: fake}
	hosttest.TestTool(t, recorder, `{"a":1}`)
	before := len(recorder.Recorded())
	gate := hosttest.Gate(t, hostapi.Quota{}, recorder)
	if _, err := gate.Invoke(t.Context(), hostapi.Call{Seq: 1, Tool: "add", Args: json.RawMessage(`{}`)}); err == nil {
		t.Error("the recorder does not check what its tool checks")
	}
	if _, err := gate.Invoke(t.Context(), hostapi.Call{Seq: 2, Tool: "add", Args: json.RawMessage(`{"a":2}`)}); err != nil {
		t.Error(err)
	}
	recorded := recorder.Recorded()[before:]
	if len(recorded) != 1 || string(recorded[0].Call.Args) != `{"a":2}` || recorded[0].Result.Output != "3" || recorded[0].Err != nil {
		t.Errorf("got %+v", recorded)
	}
	registry, err := hostapi.NewRegistry(recorder)
	if err != nil {
		t.Fatal(err)
	}
	if err := registry.CheckRule(hostapi.Rule{Tool: "add", Pattern: "x"}); err == nil {
		t.Error("a pattern was taken for a tool that takes none")
	}
}

// TestToolsThatHoldTheClockConform: as behind a gate, there is a clock to hold.
func TestToolsThatHoldTheClockConform(t *testing.T) {
	t.Parallel()
	hosttest.TestTool(t, &hosttest.Fake{ToolName: "ask", About: hostapi.Description{
		Summary: "ask somebody", Effect: hostapi.EffectRead, Input: json.RawMessage(`{"type":"object"}`),
	}, Do: func(_ context.Context, call hostapi.Call) (hostapi.Result, error) {
		defer call.Hold()()
		return hostapi.Succeed("yes"), nil
	}}, `{}`)
}
