package runtime_test

import (
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/runtime"
)

// TestUsualMistakesHaveHints: names and forms of other runtimes are answered with what
// stands in their place here.
func TestUsualMistakesHaveHints(t *testing.T) {
	bothCells(t, func(t *testing.T, options runtime.Options) {
		runner := workers(t, options)
		for source, want := range map[string]string{
			`await fetch("http://x")`:                                 `fetch is not defined; requests are made with ctx.tool("fetch", {url})`,
			`const fs = require("fs")`:                                "a tool file loads files and packages of its folder with import x from",
			"return process.argv":                                     "arguments come as inputs",
			"return fs.readFileSync('x')":                             "ctx.readFile(path)",
			"return await ctx.greb('x')":                              "did you mean ctx.grep?",
			"const é = 1; return await ctx.readfile()":                "did you mean ctx.readFile?",
			"return ctx.fetch('http://x')":                            `requests are made with ctx.tool("fetch", {url}), if allowed_tools has fetch`,
			"return ctx.exec('ls')":                                   "commands are run with ctx.shell.run(line), if allowed_tools has bash",
			"return ctx.qqqqqqqq()":                                   "ctx has tool, tools, read",
			"const x = ctx.read('a'); return x.split()":               `Object has no member 'split'; the call to tool "read" at e:1:19 was not awaited by then; is an await missing?`,
			"const {data} = ctx.tool('read', {}); return data.length": `the call to tool "read" at e:1:24 was not awaited by then`,
			"const x = await Promise.all([ctx.read('a').catch(() => 1)]); return x.split()": "Object has no member 'split'\n",
			"return mine.greb()":                                      "mine is not defined",
			"const mine = {a: 1}; return mine.a()":                    "mine.a, or what it was given to call, is no function",
			"let q; q()":                                              "q, or what it was given to call, is no function",
			"const é = {}; é()":                                       "é, or what it was given to call, is no function",
			"[1].map(3)":                                              "map, or what it was given to call, is no function",
			"throw new Error('Not a function: x')":                    "Not a function: x\n",
			"const mine = {}; return mine.greb()":                     "Object has no member 'greb'",
			"throw new ReferenceError('fetch is not defined, I say')": "fetch is not defined, I say",
			"let a: number = 1":                                       "a type of TypeScript",
			"function f(a?: string) {}":                               "a type of TypeScript",
			"const a = inputs as any":                                 "a type of TypeScript",
			"return a!.b":                                             "a type of TypeScript",
			"enum A { B }":                                            "a type of TypeScript",
			"type A = string":                                         "a type of TypeScript",
			"interface A {}":                                          "a type of TypeScript",
			"return 1\n  type\n  + interface + )":                     "unexpected token )",
			"const type = 1; return type ? ) : enum":                  "unexpected token )",
		} {
			report := runner.Run(t.Context(), runtime.Request{Source: &runtime.Source{Name: "e", Body: []byte(source), FunctionBody: true}})
			text := report.String()
			if !strings.Contains(text, want) || strings.HasSuffix(want, "'greb'") && strings.Contains(text, "did you mean") || strings.HasPrefix(want, "unexpected") && strings.Contains(text, "TypeScript") {
				t.Errorf("%s: %s", source, text)
			}
		}
	})
}
