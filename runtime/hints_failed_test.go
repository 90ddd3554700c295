package runtime_test

import (
	"context"
	"encoding/json"
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
		"ctx.tool('echo')\nreturn 'x'.repeat(3e5).split('')":                                runtime.OutcomeInvalidOutput,
		"ctx.tool('echo')\nsetTimeout(() => { throw new Error('late') }, 1)\nreturn 1":      runtime.OutcomeScriptError,
		"const p = ctx.tool('echo')\nthrow new RangeError('an await may have followed it')": runtime.OutcomeScriptError,
	} {
		report := run(t, source, nil)
		lines := strings.Join(report.NoteLines(), "\n")
		if report.Outcome != want || strings.Contains(lines, forgot) == strings.HasPrefix(source, "const p") { // the call may also have been under way
			t.Errorf("%s: %s, %s", source, report, lines)
		}
	}
}

// TestErrorsSayWhatTheyAreOf: null, what an AggregateError holds, what arguments were, and how a
// helper is called.
func TestErrorsSayWhatTheyAreOf(t *testing.T) {
	bothCells(t, func(t *testing.T, options runtime.Options) {
		strict := &hostapi.Func{ToolName: "strict", About: hostapi.Description{Input: json.RawMessage(`{"type":"object","properties":{"content":{"type":"string"}}}`)},
			Do: func(context.Context, hostapi.Call) (hostapi.Result, error) { return hostapi.Succeed(""), nil }}
		ls := &hostapi.Func{ToolName: "ls", Do: func(context.Context, hostapi.Call) (hostapi.Result, error) { return hostapi.Succeed("a"), nil }}
		options.Tools = append(options.Tools, strict, ls)
		runner := workers(t, options)
		for source, want := range map[string]string{
			"const a = null; return a.x":                        "Cannot read property 'x' of undefined or null",
			"const a = null; return a[0]":                       "Cannot read property '0' of undefined or null",
			"let a; return a.f()":                               "Cannot read property 'f' of undefined or null",
			"throw new TypeError('x of undefined')":             "x of undefined",
			"throw new AggregateError([new Error('a'), 2])":     "Error: a; 2",
			"throw new AggregateError([1, 2, 3, 4, 5])":         "1; 2; 3; and 2 more",
			"throw new AggregateError([1], 'mine')":             "mine",
			"throw new AggregateError([])":                      "",
			"await Promise.any([Promise.reject('a')])":          "a",
			"await ctx.tool('strict', {content: new Map()})":    `arguments of tool "strict": /content: got object, want string; content is a Map, which JSON writes as {}; use Object.fromEntries(x) or [...x]`,
			"await ctx.tool('strict', {content: Buffer.of(1)})": `arguments of tool "strict": /content: got object, want string; content is a Buffer; use its text, toString(), or toString("base64")`,
			"await ctx.tool('strict', {content: {}})":           `arguments of tool "strict": /content: got object, want string`,
			"await ctx.tool('strict', {a: new Map()})":          "",
			"(await ctx.ls()).map((x) => x)":                    `Object has no member 'map'; ctx.ls gives text, an entry a line; the data of ctx.tool("ls", …) is a list`,
			"await ctx.grep({pattern: 'x'})":                    `ctx.grep takes a text first, as in ctx.grep("x", {path: "src"})`,
			"await ctx.ls({path: 'x'})":                         `ctx.ls takes a text first, as in ctx.ls("src", {limit: 10})`,
			"await ctx.bash(['ls'])":                            `ctx.bash takes a text first, as in ctx.bash("ls", {cwd: "src"})`,
		} {
			report := runner.Run(t.Context(), runtime.Request{
				Source: &runtime.Source{Name: "e", Body: []byte(source), FunctionBody: true}, Allow: []hostapi.Rule{{Tool: "strict"}, {Tool: "ls"}},
			})
			if got := report.Failure; got == nil && report.Outcome != runtime.OutcomeOK || got != nil && got.Message != want {
				t.Errorf("%s: %s", source, report)
			}
		}
	})
}
