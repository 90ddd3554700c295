package serve_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
	"github.com/scriptrun/scriptrun/scripttools/serve"
)

// refused is a host tool whose work a sandbox refuses.
type refused struct{ note string }

func (refused) Name() string { return "bash" }

func (r refused) Invoke(context.Context, hostapi.Call) (hostapi.Result, error) {
	return hostapi.Result{Outcome: hostapi.OutcomeFailed, ExitCode: 1, Output: r.note, Notes: []string{r.note}}, nil
}

// TestWhatTheSandboxRefusedIsTheOperators: only the operator can allow what a sandbox refused,
// in a file that the model must be told; other arguments or the tool's author do not help.
func TestWhatTheSandboxRefusedIsTheOperators(t *testing.T) {
	t.Parallel()
	const tool = `/*---
kind: script
name: fetches
description: Runs a command.
allowed_tools: [bash]
---*/
export default async (ctx) => { const r = await ctx.tool("bash", {command: "x"}); if (!r.ok) throw new Error(r.output) }
`
	code := map[string]any{"code": `const r = await ctx.tool("bash", {command: "x"}); if (!r.ok) throw new Error(r.output)`}
	const own = "do without what the sandbox refused, or have the operator of this server allow it"
	for _, c := range []struct{ note, settings, want string }{
		{`the sandbox refused the network (a.test:443); allow it with [sandbox] network = ["a.test"]`, "/etc/x.toml", own + " in /etc/x.toml"},
		{`the sandbox probably refused a server; allow it with [sandbox] network = "loopback"`, "", own + " in the settings"},
		{`the sandbox probably refused /home/x/.ssh/id, which is hidden from commands: it may hold secrets`, "/etc/x.toml", ""},
		{`something else; allow it with care`, "/etc/x.toml", ""},
	} {
		b := &bench{dir: t.TempDir()}
		b.write(t, "tools/t.js", tool)
		var err error
		if b.runner, err = runtime.New(runtime.Options{InProcess: true, Tools: []hostapi.Tool{refused{c.note}}}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = b.runner.Close() })
		catalog, err := scripttools.LoadDir(t.Context(), b.runner, filepath.Join(b.dir, "tools"))
		if err != nil {
			t.Fatal(err)
		}
		b.server, err = serve.New(serve.Options{Runner: b.runner, Catalog: catalog, Settings: c.settings, Eval: &serve.Eval{Allow: []hostapi.Rule{{Tool: "bash"}}}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(b.server.Close)
		session := b.connect(t, nil)
		for name, otherwise := range map[string]string{"fetches": "if other arguments do not help", "eval": "correct the code"} {
			arguments := map[string]any{}
			want := c.want
			if want == "" {
				want = otherwise
			}
			if name == "eval" {
				arguments = code
			}
			said := text(call(t, session, name, arguments))
			if !strings.Contains(said, "What to do: "+want) || !strings.Contains(said, c.note) {
				t.Errorf("%s: %s\nexpected %s", name, said, want)
			}
		}
	}
}

// TestALimitIsRaisedInOnePlace: a message and its advice do not disagree where that is, whoever set
// the limit.
func TestALimitIsRaisedInOnePlace(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ceiling runtime.Limits
		server  runtime.Limits
		want    string
	}{
		"of the file":     {want: "raise limits.maxToolCalls in "},
		"of the settings": {ceiling: runtime.Limits{MaxToolCalls: 1}, want: "raise limits.maxToolCalls in own.toml"},
		"of the server":   {server: runtime.Limits{MaxToolCalls: 1}, want: "raise the server's limit"},
	} {
		b := &bench{dir: t.TempDir()}
		b.write(t, "tools/t.js", "/*---\nkind: script\nname: fetches\ndescription: Runs commands.\nallowed_tools: [bash]\nlimits: {maxToolCalls: 2}\n---*/\nexport default async (ctx) => { for (let i = 0; i < 3; i++) await ctx.tool('bash', {command: 'x'}) }\n")
		var err error
		if b.runner, err = runtime.New(runtime.Options{InProcess: true, Tools: []hostapi.Tool{refused{"x"}}, Ceiling: c.ceiling, CeilingFrom: "own.toml"}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = b.runner.Close() })
		catalog, err := scripttools.LoadDir(t.Context(), b.runner, filepath.Join(b.dir, "tools"))
		if err != nil {
			t.Fatal(err)
		}
		if b.server, err = serve.New(serve.Options{Runner: b.runner, Catalog: catalog, Limits: c.server}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(b.server.Close)
		said := text(call(t, b.connect(t, nil), "fetches", nil))
		if strings.Count(said, "raise ") != 1 || !strings.Contains(said, c.want) || !strings.Contains(said, "What to do: ask it for less, or have that limit raised.") {
			t.Errorf("%s: it says %s", name, said)
		}
	}
}
