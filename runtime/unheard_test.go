package runtime_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
)

// TestFailuresThatNobodyLookedAtAreNoted: a call that failed gives a result, and a script that does
// not read its exitCode goes on with nothing.
func TestFailuresThatNobodyLookedAtAreNoted(t *testing.T) {
	bothCells(t, func(t *testing.T, options runtime.Options) {
		options.Tools = []hostapi.Tool{failTool, echoTool, tool("bash", failTool.(*hostapi.Func).Do), tool("git", failTool.(*hostapi.Func).Do)}
		runner := workers(t, options)
		for body, want := range map[string]string{
			"const {data} = await ctx.tool('fail'); return data ?? []":                                              "1",
			"return (await ctx.tools.fail({})).output":                                                              "1",
			"await ctx.tool('echo'); await ctx.tool('fail'); const r = await ctx.tool('fail'); return r.exitCode":   "",
			"await ctx.tool('fail'); await ctx.tool('fail'); return 1":                                              "1 2",
			"const all = await Promise.all([1, 2].map(() => ctx.tool('fail'))); return all.some((r) => r.exitCode)": "",
			"const r = await ctx.tool('fail'); return r.exitCode === 1 && r.exitCode === 1":                         "",
			"return await ctx.tool('fail')":                                                                         "",
			"const {exitCode} = await ctx.tool('fail'); return exitCode":                                            "",
			"const r = {...await ctx.tool('fail')}; return r.output":                                                "",
			"const r = await ctx.tool('fail'); r.exitCode = 5; return r.exitCode":                                   "",
			"return (await ctx.tool('bash')).output":                                                                "", // an exit code is an answer there
			"const r = await ctx.tool('bash'); return r.data":                                                       "",
			"return await ctx.tool('bash')":                                                                         "",
			"const r = await ctx.tool('bash'); return JSON.stringify(r)":                                            "",
			"await ctx.tool('bash', {command: 'false'}); return 'done'":                                             "1",
			"await ctx.verify({command: 'false'}); return 'verified'":                                               "1",
			"return (await ctx.tool('git', {args: ['log']})).data":                                                  "1",
			"return (await ctx.tool('git', {args: ['log']})).text":                                                  "",
			"await ctx.tool('fail'); throw new Error('x')":                                                          "",
			"return (await ctx.tool('echo')).output":                                                                "",
		} {
			report := runner.Run(t.Context(), runtime.Request{Program: compiled(t, runner, body), Allow: []hostapi.Rule{{Tool: "fail"}, {Tool: "echo"}, {Tool: "bash"}, {Tool: "git"}}})
			var got []string
			for _, note := range report.Notes {
				if got = append(got, fmt.Sprint(note.Call)); note.Code != runtime.NoteFailed || !strings.Contains(note.Text, "did not look at its exitCode") || !strings.HasSuffix(note.Text, ": it went wrong") {
					t.Errorf("%s: %+v", body, note)
				}
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%s: %v, want %s", body, got, want)
			}
		}
	})
}

// TestMoreThanAHelperTakesIsRefused: it would be dropped without a word.
func TestMoreThanAHelperTakesIsRefused(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"await ctx.write('a', 'b', {append: true})":  "ctx.write takes a path and the whole text",
		"await ctx.tool('echo', {}, {limit: 1})":     "ctx.tool takes a name and one object of arguments",
		"await ctx.tools.echo({}, 1)":                "ctx.tools has echo(args)",
		"await ctx.git({args: ['log']}, {limit: 1})": "ctx.git takes options after a list of words",
		"await ctx.git(['log'], 5)":                  "the options must be an object",
		"await ctx.tool('echo', {}, undefined)":      "",
	} {
		report := run(t, body, nil)
		if want == "" && report.Outcome != runtime.OutcomeOK || want != "" && (report.Failure == nil || !strings.Contains(report.Failure.Message, want) || len(report.Calls) > 0) {
			t.Errorf("%s: %s", body, report)
		}
	}
}
