package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
)

// What a script puts in the place of its JSON.stringify is refused as it is: it
// is not encoded, and the receipt keeps the beginning of it.
func TestArgumentsThatAreNotJSONStaySmall(t *testing.T) {
	t.Parallel()
	var seen int
	spy := tool("spy", func(context.Context, hostapi.Call) (hostapi.Result, error) {
		seen++
		return hostapi.Succeed(""), nil
	})
	runner := newRunner(t, runtime.Options{Tools: []hostapi.Tool{spy}})
	program := compile(t, runner, `
const b = "\x01".repeat(inputs.size)
const real = JSON.stringify
JSON.stringify = () => b
const code = await ctx.tool("spy", {a: 1}).then(() => "made", e => e.code)
JSON.stringify = real
return code`)
	for _, c := range []struct {
		allow []hostapi.Rule
		size  int
		code  hostapi.Code
	}{
		{nil, 4 << 10, hostapi.CodeDenied},
		{nil, 8 << 20, hostapi.CodeDenied},
		{nil, 64e6, hostapi.CodeDenied},
		{[]hostapi.Rule{{Tool: "spy"}}, 4 << 10, hostapi.CodeInvalidArgs},
		{[]hostapi.Rule{{Tool: "spy"}}, 8 << 20, hostapi.CodeInvalidArgs},
		{[]hostapi.Rule{{Tool: "spy"}}, 64e6, hostapi.CodeOverLimit},
	} {
		report := runner.Run(t.Context(), runtime.Request{
			Program: program, Allow: c.allow, Inputs: fmt.Appendf(nil, `{"size":%d}`, c.size), Limits: runtime.Limits{MaxMemoryBytes: 2 << 30},
		})
		if report.Outcome != runtime.OutcomeOK || len(report.Calls) != 1 {
			t.Fatalf("%d bytes: %s", c.size, report)
		}
		row := report.Calls[0]
		var kept struct {
			Truncated bool
			Bytes     int
			Head      string
		}
		err := json.Unmarshal(row.Args, &kept)
		if row.Code != c.code || report.Text != string(c.code) || len(row.Args) > 8<<10 ||
			err != nil || !kept.Truncated || kept.Bytes != c.size || c.size <= 16<<20 && !strings.HasPrefix(kept.Head, "\x01") {
			t.Errorf("%d bytes, allowed %v: %s, %q, %d bytes on the ledger, %v", c.size, c.allow, row.Code, report.Text, len(row.Args), err)
		}
	}
	if seen > 0 {
		t.Errorf("the tool was invoked %d times", seen)
	}
}

// Arguments over the limit end a run as a limit, with a row that says how large they were.
func TestArgumentsOverTheLimit(t *testing.T) {
	t.Parallel()
	report := run(t, `await ctx.tool("echo", {text: "x".repeat(16 << 20)})`, nil)
	if report.Outcome != runtime.OutcomeLimit || report.Limit != hostapi.LimitArgsBytes || len(report.Calls) != 1 {
		t.Fatalf("%s", report)
	}
	if got, want := string(report.Calls[0].Args), `{"truncated":true,"bytes":16777227,"head":""}`; got != want {
		t.Errorf("the row has %s, want %s", got, want)
	}
	report = run(t, `return (await ctx.tool("echo", {text: "x".repeat((16 << 20) - 11)})).data.text.length`, func(r *runtime.Request) {
		r.Limits.MaxOutputBytes, r.Limits.MaxMemoryBytes = 16<<20, 2<<30 // what other tests of this process hold counts too
	})
	if report.Outcome != runtime.OutcomeOK || report.Text != "16777205" {
		t.Errorf("what fits: %s", report.Headline())
	}
}
