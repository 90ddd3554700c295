package runtime_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
)

// TestTheLargestResultReachesItsScript: what limits allow in each part, and what escapes may
// add to that, comes in whole.
func TestTheLargestResultReachesItsScript(t *testing.T) {
	t.Parallel()
	const most = 64 << 20
	text := strings.Repeat("0123456\n", most/8) + "!" // the last byte is cut
	data, err := json.Marshal(map[string]string{"text": text[:most-(1<<10)]})
	if err != nil {
		t.Fatal(err)
	}
	runner := workers(t, runtime.Options{Tools: []hostapi.Tool{tool("give", func(context.Context, hostapi.Call) (hostapi.Result, error) {
		return hostapi.Result{Output: text[:most], Data: data}, nil
	})}})
	report := runner.Run(t.Context(), runtime.Request{
		Program: compiled(t, runner, `const r = await ctx.tool("give"); return [r.output.length, r.data.text.length, r.truncated]`),
		Allow:   []hostapi.Rule{{Tool: "give"}}, Limits: runtime.Limits{MaxResultBytes: most, MaxMemoryBytes: 2 << 30, Timeout: 5 * time.Minute},
	})
	if report.Outcome != runtime.OutcomeOK || string(report.Value) != `[67108864,67107840,false]` {
		t.Error(report, string(report.Value))
	}
}
