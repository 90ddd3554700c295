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

// TestForgottenAwaitIsToldOfRunsThatFail: also where the value is not what it should be, or something throws later.
func TestForgottenAwaitIsToldOfRunsThatFail(t *testing.T) {
	t.Parallel()
	const forgot = `note: the call to tool "echo" at t.js:2:9 was not awaited; write await before it`
	for source, want := range map[string]runtime.Outcome{
		"ctx.tool('echo')\nreturn {n: 1n}":                                                  runtime.OutcomeInvalidOutput,
		"ctx.tool('echo')\nreturn () => 1":                                                  runtime.OutcomeInvalidOutput,
		"ctx.tool('echo')\nreturn 'x'.repeat(2e6).split('')":                                runtime.OutcomeInvalidOutput,
		"ctx.tool('echo')\nsetTimeout(() => { throw new Error('late') }, 1)\nreturn 1":      runtime.OutcomeScriptError,
		"const p = ctx.tool('echo')\nthrow new RangeError('an await may have followed it')": runtime.OutcomeScriptError,
	} {
		report := run(t, source, nil)
		lines := strings.Join(report.NoteLines(), "\n")
		if report.Outcome != want || (lines == forgot) == strings.HasPrefix(source, "const p") {
			t.Errorf("%s: %s, %s", source, report, lines)
		}
	}
}
