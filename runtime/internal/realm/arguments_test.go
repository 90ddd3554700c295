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
		`return await ctx.tool("grep", {patern: "x"})`:                          `1:32 the tool grep takes no argument patern; did you mean pattern?`,
		`return await ctx.tools.grep({pattern: "x", zzzzz: 1})`:                 `1:44 the tool grep takes no argument zzzzz`,
		`const {tools} = ctx; return await tools.grep({"patern": 1})`:           `1:47 the tool grep takes no argument patern; did you mean pattern?`,
		`const patern = 1; return await ctx.tool("grep", {patern})`:             `1:50 the tool grep takes no argument patern; did you mean pattern?`,
		`return await ctx.tool("grep", {pattern: "x", path: "."})`:              "",
		`return await ctx.tool("grep", {...inputs, ["a"]: 1})`:                  "",
		`return await ctx.tool("grep", inputs)`:                                 "",
		`return await ctx.tool("open", {anything: 1})`:                          "",
		`return await ctx.tool(inputs.name, {patern: 1})`:                       "",
		`const t = {tools: {grep: (x) => x}}; return t.tools.grep({patern: 1})`: "",
		`return await ctx.tool("grep")`:                                         "",
	} {
		checked, flaws := realm.Check(wire.Check{
			Name: "t.js", Source: source, Body: true, Warn: true, Granted: []string{"grep", "open"},
			Arguments: map[string][]string{"grep": {"pattern", "path"}},
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
