package hostapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/scriptrun/scriptrun/hostapi"
)

// TestToolsCallTools: the inner call has a row, a number and a parent; the same
// policies and budget decide it; and it needs no place of its own.
func TestToolsCallTools(t *testing.T) {
	t.Parallel()
	inner := &hostapi.Func{ToolName: "inner", Do: func(_ context.Context, call hostapi.Call) (hostapi.Result, error) {
		return hostapi.Succeed(string(call.Args)), nil
	}}
	secret := &hostapi.Func{ToolName: "secret", Do: func(context.Context, hostapi.Call) (hostapi.Result, error) {
		return hostapi.Succeed("told"), nil
	}}
	outer := &hostapi.Func{ToolName: "outer", Do: func(ctx context.Context, call hostapi.Call) (hostapi.Result, error) {
		var said []string
		for _, tool := range []string{"inner", "secret", "none"} {
			r, err := call.Invoke(ctx, tool, json.RawMessage(`{"n":1}`))
			said = append(said, r.Output+string(hostapi.CodeOf(err)))
			if err == nil {
				said[len(said)-1] = r.Output
			}
		}
		return hostapi.Succeed(strings.Join(said, " ")), nil
	}}
	registry, err := hostapi.NewRegistry(inner, secret, outer)
	if err != nil {
		t.Fatal(err)
	}
	gate := hostapi.NewGate(t.Context(), hostapi.GateConfig{
		Registry: registry, Policies: []hostapi.Policy{hostapi.AllowList{{Tool: "outer"}, {Tool: "inner"}}},
		Quota: hostapi.Quota{MaxToolCalls: 3, MaxConcurrent: 1},
	})
	defer gate.Close(0)
	r, err := gate.Invoke(t.Context(), hostapi.Call{Tool: "outer", Site: "f.js:1:2"})
	if err != nil || r.Output != `{"n":1} denied unknown_tool` {
		t.Errorf("got %+v, %v", r, err)
	}
	r, err = gate.Invoke(t.Context(), hostapi.Call{Tool: "outer"})
	if err != nil || r.Output != "over_limit denied unknown_tool" {
		t.Errorf("the budget: %+v, %v", r, err)
	}
	var rows []string
	for _, row := range gate.Records() {
		rows = append(rows, fmt.Sprint(row.Seq, " ", row.Tool, " of ", row.Parent, " ", row.Status, " ", row.Site))
	}
	want := []string{
		"1 outer of 0 ok f.js:1:2", "2 inner of 1 ok f.js:1:2", "3 secret of 1 denied f.js:1:2", "4 none of 1 denied f.js:1:2",
		"5 outer of 0 ok ", "6 inner of 5 over_limit ", "7 secret of 5 denied ", "8 none of 5 denied ",
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Error(diff)
	}
}

// TestToolsAskInVainNotWithoutEnd: the ledger does not grow with what is refused.
func TestToolsAskInVainNotWithoutEnd(t *testing.T) {
	t.Parallel()
	stubborn := &hostapi.Func{ToolName: "stubborn", Do: func(ctx context.Context, call hostapi.Call) (hostapi.Result, error) {
		for range 700 {
			if _, err := call.Invoke(ctx, "none", nil); !errors.Is(err, hostapi.ErrDenied) {
				return hostapi.Result{}, err
			}
		}
		return hostapi.Succeed("all refused"), nil
	}}
	gate := aroundGate(t, nil, stubborn)
	for i, rows := range []int{701, 1002, 1003} { // a bound for all calls of the run
		if r, err := gate.Invoke(t.Context(), hostapi.Call{Tool: "stubborn"}); err != nil || r.Output != "all refused" || len(gate.Records()) != rows {
			t.Errorf("%d: got %+v, %v, %d rows", i, r, err, len(gate.Records()))
		}
	}
}

// TestToolsCallToolsNotWithoutEnd: one that calls itself is stopped.
func TestToolsCallToolsNotWithoutEnd(t *testing.T) {
	t.Parallel()
	again := &hostapi.Func{ToolName: "again", Do: func(ctx context.Context, call hostapi.Call) (hostapi.Result, error) {
		r, err := call.Invoke(ctx, "again", nil)
		if err != nil && !errors.Is(err, hostapi.ErrDenied) {
			return r, err
		}
		return hostapi.Succeed(r.Output + "."), nil
	}}
	gate := aroundGate(t, nil, again)
	if r, err := gate.Invoke(t.Context(), hostapi.Call{Tool: "again"}); err != nil || len(r.Output) != 17 {
		t.Errorf("got %+v, %v", r, err)
	}
}
