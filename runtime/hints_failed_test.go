package runtime_test

import (
	"context"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
)

// A script that takes a failure for a success is told of the failure.
func TestATypeErrorNamesTheCallThatFailed(t *testing.T) {
	bothCells(t, func(t *testing.T, options runtime.Options) {
		options.Tools = append(options.Tools, tool("glob", func(context.Context, hostapi.Call) (hostapi.Result, error) {
			return hostapi.Fail("nope does not exist"), nil
		}))
		options.Tools = append(options.Tools, tool("ok", func(context.Context, hostapi.Call) (hostapi.Result, error) { return hostapi.Succeed(""), nil }))
		runner := workers(t, options)
		for source, told := range map[string]bool{
			"const { data } = await ctx.tool('glob', {}); for (const f of data) f()": true,
			"await ctx.tool('glob', {}); throw new Error('mine')":                    false,
			"await ctx.tool('glob', {}); await ctx.tool('ok', {}); null.x":           false,
		} {
			report := runner.Run(t.Context(), runtime.Request{
				Source: &runtime.Source{Name: "e", Body: []byte(source), FunctionBody: true}, Allow: []hostapi.Rule{{Tool: "glob"}, {Tool: "ok"}},
			})
			if strings.Contains(report.Failure.Message, `; call 1, to tool "glob", had failed: nope does not exist`) != told {
				t.Errorf("%s: %s", source, report)
			}
		}
	})
}
