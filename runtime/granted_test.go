package runtime_test

import (
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
)

// TestToolsTellWhatIsGranted: ctx.tools has the tools that the rules name, and no others; a call
// of another is refused as before.
func TestToolsTellWhatIsGranted(t *testing.T) {
	t.Parallel()
	report := run(t, `const refused = await ctx.tools.big().catch((e) => e.code);
		return [Object.keys(ctx.tools), "echo" in ctx.tools, "big" in ctx.tools, "toString" in ctx.tools, typeof ctx.tools.then, Object.isFrozen(ctx.tools), refused, (await ctx.tools.echo({})).exitCode]`,
		func(r *runtime.Request) { r.Allow = []hostapi.Rule{{Tool: "echo"}} })
	if want := `[["echo"],true,false,false,"undefined",true,"denied",0]`; string(report.Value) != want {
		t.Errorf("%s\n%s, want %s", report, report.Value, want)
	}
}
