package realm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/runtime/internal/realm"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// TestArgumentsThatNoToolTakesAreWarnedOf where a call names its tool and writes them out.
func TestArgumentsThatNoToolTakesAreWarnedOf(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`return await ctx.tool("grep", {patern: "x"})`:                                          `1:32 the tool grep takes no argument patern; did you mean pattern?`,
		`return await ctx.tools.grep({pattern: "x", zzzzz: 1})`:                                 `1:44 the tool grep takes no argument zzzzz; it takes p, path, pattern`,
		`const {tools} = ctx; return await tools.grep({"patern": 1})`:                           `1:47 the tool grep takes no argument patern; did you mean pattern?`,
		`const patern = 1; return await ctx.tool("grep", {patern})`:                             `1:50 the tool grep takes no argument patern; did you mean pattern?`,
		`return await ctx.tool("grep", {pattern: "x", path: "."})`:                              "",
		`return await ctx.tool("grep", {...inputs, ["a"]: 1})`:                                  "",
		`return await ctx.tool("grep", inputs)`:                                                 "",
		`return await ctx.tool("open", {anything: 1})`:                                          "",
		`return await ctx.tool(inputs.name, {patern: 1})`:                                       "",
		`const t = {tools: {grep: (x) => x}}; return t.tools.grep({patern: 1})`:                 "",
		`return await ctx.tool("grep")`:                                                         `1:14 the tool grep needs the argument pattern`,
		`return await ctx.tool("grep", {path: "."})`:                                            `1:14 the tool grep needs the argument pattern`,
		`return await ctx.tools.grep({"p": "."})`:                                               "",
		`return await ctx.tool("grep", {patt: "."})`:                                            `1:32 the tool grep takes no argument patt; did you mean path?`,
		`return await ctx.tool("grep", {query: "."})`:                                           `1:32 the tool grep takes no argument query; did you mean pattern?`,
		`return await ctx.tool("grep", {query: ".", ...inputs})`:                                `1:32 the tool grep takes no argument query; it takes p, path, pattern`,
		`return await ctx.grep("x", {pth: "."})`:                                                `1:29 ctx.grep takes no option pth; did you mean path?`,
		`return await ctx.grep("x", {lines: 1, path: "."})`:                                     `1:29 ctx.grep takes no option lines; it takes p, path`,
		`return await ctx.grep("x", {"-i": true, ...inputs})`:                                   "",
		`return await ctx.grep({pattern: "x"})`:                                                 `1:23 ctx.grep takes a text here, as in ctx.grep("x", {path: "src"})`,
		`return await ctx.grep(/x/)`:                                                            `1:23 ctx.grep takes a text here, as in ctx.grep("x", {path: "src"})`,
		`const {grep: g} = ctx; return await g("x", {pth: "."})`:                                `1:45 ctx.grep takes no option pth; did you mean path?`,
		`return await ctx.shell.run("x", {timeoutMS: 1, argv: []})`:                             `1:34 ctx.shell.run takes no option timeoutMS; did you mean timeoutMs?`,
		`return await ctx.shell.start(["x"], {cdw: 1})`:                                         `1:38 ctx.shell.start takes no option cdw; did you mean cwd?`,
		`const {shell} = ctx; return await shell.run("x", {cdw: 1})`:                            `1:51 ctx.shell.run takes no option cdw; did you mean cwd?`,
		`return await ctx.bash("x", {timeout: 1})`:                                              `1:29 ctx.bash takes no option timeout; did you mean timeoutMs?`,
		`return await ctx.verify({comand: "x"})`:                                                `1:26 ctx.verify takes no option comand; did you mean command?`,
		`return await ctx.bash("x", inputs)`:                                                    "",
		`return await ctx.open("x", {a: 1})`:                                                    `1:14 ctx has no member open`,
		`return await ctx.Grep("x")`:                                                            `1:14 ctx has no member Grep`,
		`return ctx.files.length`:                                                               `1:8 ctx has no member files`,
		`return ctx.files ? 1 : ctx.files?.length`:                                              "",
		`if (ctx.log) ctx.log("x"); else console.log("x")`:                                      "",
		`const say = typeof ctx.log === "function" ? (m) => ctx.log(m) : console.log; say("x")`: "",
		`const { log = console.log } = ctx; log("x")`:                                           "",
		`return ctx.hasOwnProperty("x")`:                                                        "",
		`const f = (ctx) => ctx.fillRect(1); return f(inputs)`:                                  "",
		`const f = (ctx) => ctx.gerp("x"); return f(ctx)`:                                       `1:20 ctx has no member gerp`,
		`const { gerp } = ctx; return gerp`:                                                     `1:9 ctx has no member gerp`,
		`const { gerp } = inputs; return gerp`:                                                  "",
		`return inputs.filter(async (x) => x)`:                                                  `1:8 filter takes a promise for true; await first, as in const ok = await Promise.all(list.map(async …)), and use list.filter((_, i) => ok[i])`,
		`return inputs.some((x) => ctx.bash(x))`:                                                `1:8 some takes a promise for true; await first, as in const ok = await Promise.all(list.map(async …)), and use list.some((_, i) => ok[i])`,
		`return inputs.filter((x) => x.bash(x))`:                                                "",
	} {
		checked, flaws := realm.Check(wire.Check{
			Name: "t.js", Source: source, Body: true, Warn: true, Granted: []string{"grep", "open", "bash"},
			Arguments: map[string][]string{"grep": {"p", "path", "pattern"}, "bash": {"argv", "command", "cwd", "timeoutMs"}},
			Required:  map[string][][]string{"grep": {{"pattern", "p"}}},
		}, nil)
		var got []string
		for _, w := range checked.Warnings {
			got = append(got, fmt.Sprintf("%d:%d %s", w.Line, w.Col, w.Msg))
		}
		if strings.Join(got, ", ") != want || len(flaws) > 0 {
			t.Errorf("%s: %q, %v; want %q", source, got, flaws, want)
		}
	}
}
