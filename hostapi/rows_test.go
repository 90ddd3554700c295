package hostapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
)

// TestRowsSayHowCallsEnded: a success has no error, and a failure no other code than its own.
func TestRowsSayHowCallsEnded(t *testing.T) {
	t.Parallel()
	ended, end := context.WithCancel(t.Context())
	tool := &hostapi.Func{ToolName: "work", Do: func(ctx context.Context, call hostapi.Call) (hostapi.Result, error) {
		switch string(call.Args) {
		case `{"do":"fail"}`:
			return hostapi.Result{Outcome: hostapi.OutcomeFailed, ExitCode: 3, Output: "it is broken"}, nil
		case `{"do":"cancel"}`:
			end()
			<-ctx.Done()
			return hostapi.Result{}, context.Cause(ctx)
		}
		return hostapi.Succeed("fine"), nil
	}}
	g := gate(t, hostapi.GateConfig{Registry: registry(t, tool), Policies: lists(rules(t, "work"))})
	for _, c := range []struct {
		args, err string
		ctx       context.Context
		status    hostapi.Status
		code      hostapi.Code
		exit      int
	}{
		{`{"do":"go"}`, "", t.Context(), hostapi.StatusOK, "", 0},
		{`{"do":"fail"}`, "it is broken", t.Context(), hostapi.StatusFailed, hostapi.CodeFailed, 3},
		{`{"do":"cancel"}`, "cancelled", ended, hostapi.StatusCancelled, hostapi.CodeCancelled, -1},
	} {
		if _, err := g.Invoke(c.ctx, hostapi.Call{Tool: "work", Args: json.RawMessage(c.args)}); err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		rows := g.Records()
		row := rows[len(rows)-1]
		if row.Status != c.status || row.Code != c.code || row.ExitCode != c.exit || !strings.Contains(row.Err, c.err) || c.err == "" && row.Err != "" {
			t.Errorf("%s: %+v", c.args, row)
		}
	}
}

// TestLongArgumentsKeepTheirBeginning: whole characters of it, as many as fit.
func TestLongArgumentsKeepTheirBeginning(t *testing.T) {
	t.Parallel()
	tool := &hostapi.Func{ToolName: "work", Do: func(context.Context, hostapi.Call) (hostapi.Result, error) { return hostapi.Succeed(""), nil }}
	g := gate(t, hostapi.GateConfig{Registry: registry(t, tool), Policies: lists(rules(t, "work"))})
	for _, before := range []string{"", "a", "aa", "aaa"} {
		args := []byte(`{"a":"` + before + strings.Repeat("\U0001F600", 100_000) + `"}`)
		if _, err := g.Invoke(t.Context(), hostapi.Call{Tool: "work", Args: args}); err != nil {
			t.Fatal(err)
		}
		rows := g.Records()
		var kept struct {
			Truncated bool
			Bytes     int
			Head      string
		}
		if err := json.Unmarshal(rows[len(rows)-1].Args, &kept); err != nil || !kept.Truncated || kept.Bytes != len(args) ||
			!strings.HasPrefix(string(args), kept.Head) || (len(kept.Head)-len(`{"a":"`)-len(before))%4 != 0 || len(kept.Head) < 512 {
			t.Errorf("%q: %d bytes, %d of the beginning, %v", before, kept.Bytes, len(kept.Head), err)
		}
	}
}
