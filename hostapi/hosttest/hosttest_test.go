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
