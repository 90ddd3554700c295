package runtime_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/runtime"
)

// TestRunOfASource: a run that comes with its source is like any other.
func TestRunOfASource(t *testing.T) {
	bothCells(t, func(t *testing.T, options runtime.Options) {
		runner := workers(t, options)
		body := func(text string) runtime.Request {
			return runtime.Request{Source: &runtime.Source{Name: "e", Body: []byte(text), FunctionBody: true}}
		}
		for range 3 {
			if report := runner.Run(t.Context(), body("return 1 + 1")); string(report.Value) != "2" || report.Path != "e" || report.Tool != "e" || len(report.Digest) != 64 {
				t.Errorf("%s", report)
			}
		}
		for text, want := range map[string]string{
			"async function run(ctx, inputs) { return 3 }":                "3",
			"const two = 2;\nfunction run() { return two }":               "2",
			"export default async function run(ctx, inputs) { return 4 }": "4",
			"console.log(1); export default () => 5":                      "5",
			"module.exports = () => 6":                                    "6",
			"function run() { return 7 }\nrun()":                          "null",
			"function run() { return 8 }\nreturn await run()":             "8",
			"const run = await 9; return run":                             "9",
			"const running = 1":                                           "null",
		} {
			if report := runner.Run(t.Context(), body(text)); string(report.Value) != want {
				t.Errorf("%s: %s", text, report)
			}
		}
		for text, want := range map[string]string{
			"export default async function run() {\n  return }}": "2:11: SyntaxError: unexpected token }",
			"export const a = 1":             "there is no entry",
			"if (true) { export default 1 }": "export belongs to the top level",
		} {
			if report := runner.Run(t.Context(), body(text)); !strings.Contains(report.String(), want) {
				t.Errorf("%s: %s", text, report)
			}
		}
		report := runner.Run(t.Context(), body("return 1 +\n\nreturn )"))
		if report.Outcome != runtime.OutcomeScriptError || report.Failure.Name != "SyntaxError" || report.Failure.Pos.Line != 3 || report.Failure.Frame == "" || report.Run == "" {
			t.Errorf("%s", report)
		}
		if report := runner.Run(t.Context(), body(strings.Repeat(" ", runtime.MaxSourceBytes+1))); report.Outcome != runtime.OutcomeLimit || report.Limit != runtime.LimitSource {
			t.Errorf("%s", report)
		}
		both := body("return 1")
		both.Program = compiled(t, runner, "return 1")
		for _, bad := range []runtime.Request{both, {}} {
			if report := runner.Run(t.Context(), bad); report.Outcome != runtime.OutcomeInvalidInput {
				t.Errorf("%s", report)
			}
		}
	})
}

// lastCharacter are sources with an escape of U+10FFFF, which the engine's
// parser answers with a panic in some places.
func lastCharacter() (sources []string) {
	for _, escape := range []string{`\u{10FFFF}`, `\u{10ffff}`, `\u{0010FFFF}`, `\u{00000000000000010fFfF}`, `\uDBFF\uDFFF`, "\U0010FFFF"} {
		for _, form := range []string{
			`return "%s"`, `return 'a%sb'`, "return `%s`", "return `a${1}%s`", "return String.raw`%s`", "return ctx[`${'%s'}`]", `"%s"; return 1`,
			`return {"%s": 1}`, `return /%s/u.source`, `return /[%s]/.source`, `let %s = 1; return %[1]s`, `let a%s = 1`, `ctx.%s`, `class A { "%s"() {} }`,
			`label%s: for (;;) break`, `return "\\%s"`, `// %s`, `/* %s */ return 1`, `"use strict%s"`, `import "%s"`, `export { run as "%s" }`,
		} {
			sources = append(sources, fmt.Sprintf(form, escape))
		}
	}
	return sources
}

// TestPanicOfTheParserIsACompileError, in a worker and in process; the engine
// may also take what it does not panic at.
func TestPanicOfTheParserIsACompileError(t *testing.T) {
	bothCells(t, func(t *testing.T, options runtime.Options) {
		runner := workers(t, options)
		panicked := 0
		for _, source := range lastCharacter() {
			for _, body := range []bool{true, false} {
				_, err := runner.Compile(t.Context(), runtime.Source{Name: "x.js", Body: []byte(source), FunctionBody: body})
				if err == nil {
					continue
				}
				if strings.Contains(err.Error(), "died") {
					t.Errorf("%s: %v", source, err)
				}
				if strings.Contains(err.Error(), "engine cannot read") {
					panicked++
				}
			}
		}
		if panicked == 0 {
			t.Error("the engine has learned to read it: the message is of no use any more")
		}
		_, err := runner.Compile(t.Context(), runtime.Source{Name: "x.js", Body: []byte("return 1 +\n 'é' + \"\\u{10FFFF}\""), FunctionBody: true})
		if want := `x.js:2:9: the engine cannot read \u{10FFFF}; write \uDBFF\uDFFF`; err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	})
}
