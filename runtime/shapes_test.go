package runtime_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
)

// TestCodeThatNobodyCheckedIsToldOfShapes: what a value has not is undefined, without an error, and no check comes
// before an eval.
func TestCodeThatNobodyCheckedIsToldOfShapes(t *testing.T) {
	bothCells(t, func(t *testing.T, options runtime.Options) {
		options.Tools = []hostapi.Tool{echoTool}
		runner := workers(t, options)
		for body, want := range map[string]string{
			"const r = await ctx.tool('echo')\nreturn r.items":                      "",
			"const r = await ctx.tool('echo')\nreturn r.length":                     "e:2 e:2:8: the result of echo is {output, text, data, exitCode, metadata, truncated}, and no list or text; its entries are in data, its text is in text",
			"const {stdout} = await ctx.tool('echo')\nthrow new Error(stdout)":      "e:1 e:1:8: the result of echo is {output, text, data, exitCode, metadata, truncated}, and has no stdout",
			"const r = await ctx.tool('echo')\nreturn r.output.length":              "",
			"export default async (ctx) => (await ctx.tool('echo')).stdout ?? null": "",
			"export default async (ctx) => (await ctx.tool('echo')).stdout":         "e:1 e:1:32: the result of echo is {output, text, data, exitCode, metadata, truncated}, and has no stdout",
		} {
			for range 2 { // the second time it is known
				report := runner.Run(t.Context(), runtime.Request{
					Source: &runtime.Source{Name: "e", Body: []byte(body), FunctionBody: true}, Allow: []hostapi.Rule{{Tool: "echo"}},
				})
				var got []string
				for _, note := range report.Notes {
					if note.Code == runtime.NoteShape {
						got = append(got, fmt.Sprintf("%s:%d %s", note.File, note.Line, note.Text))
					}
				}
				if strings.Join(got, "|") != want {
					t.Errorf("%s: %q, want %q; %s", body, got, want, report)
				}
			}
		}
	})
}
