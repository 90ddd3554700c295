package cases_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/hosttest"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
	"github.com/scriptrun/scriptrun/scripttools/cases"
)

// bench is a runner with tools that count their calls, and a tool file.
type bench struct {
	runner *runtime.Runner
	spec   *scripttools.ScriptToolSpec
	stands *hostapi.Registry
	calls  atomic.Int64
}

// background is a tool whose calls can be in the background.
type background struct{ *hosttest.Fake }

func (b background) Start(ctx context.Context, call hostapi.Call) (hostapi.Handle, hostapi.Result, error) {
	if _, err := b.Invoke(ctx, call); err != nil {
		return nil, hostapi.Result{}, err
	}
	return work{}, hostapi.Succeed(""), nil
}

type work struct{}

func (work) Wait(context.Context) (hostapi.Result, error) {
	return hostapi.Succeed("").WithData(map[string]int{"exitCode": 3}), nil
}

func (work) Operate(_ context.Context, operation string, args json.RawMessage) (hostapi.Result, error) {
	return hostapi.Succeed("").WithData(map[string]string{"did": operation, "with": string(args)}), nil
}

func (work) Close() error { return nil }

// newBench loads a script. Its host has count, which answers with how often it was called,
// echo, which answers with its arguments, wait, which waits for the end of the run, and bash.
func newBench(t *testing.T, header, body string, policies ...hostapi.Policy) *bench {
	t.Helper()
	b := &bench{}
	anything := hostapi.Description{Effect: hostapi.EffectRead}
	tool := func(name string, do func(ctx context.Context, call hostapi.Call) (hostapi.Result, error)) *hosttest.Fake {
		return &hosttest.Fake{ToolName: name, About: anything, Do: func(ctx context.Context, call hostapi.Call) (hostapi.Result, error) {
			b.calls.Add(1)
			return do(ctx, call)
		}}
	}
	echo := func(_ context.Context, call hostapi.Call) (hostapi.Result, error) {
		return hostapi.Succeed("got\n" + string(call.Args)).WithData(call.Args), nil
	}
	tools := []hostapi.Tool{
		tool("echo", echo), background{tool("bash", echo)},
		tool("count", func(_ context.Context, call hostapi.Call) (hostapi.Result, error) {
			return hostapi.Succeed("").WithData(call.Seq), nil
		}),
		tool("wait", func(ctx context.Context, _ hostapi.Call) (hostapi.Result, error) {
			<-ctx.Done()
			return hostapi.Result{}, context.Cause(ctx)
		}),
	}
	var err error
	if b.runner, err = runtime.New(runtime.Options{Tools: tools, Policies: policies, InProcess: true}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.runner.Close() })
	if b.stands, err = hostapi.NewRegistry(cases.StandIns(tools...)...); err != nil {
		t.Fatal(err)
	}
	b.spec = b.load(t, header, body)
	return b
}

func (b *bench) load(t *testing.T, header, body string) *scripttools.ScriptToolSpec {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.js")
	text := "/*---\nkind: script\ndescription: x\nallowed_tools: [echo, count, wait, bash]\n" + header + "\n---*/\nexport default async function run(ctx, inputs) {\n" + body + "\n}\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	spec, err := scripttools.LoadFile(t.Context(), b.runner, path, "")
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// recorded records a case, and reads it again from its file.
func (b *bench) recorded(t *testing.T, c *cases.Case) *cases.Case {
	t.Helper()
	cases.Record(t.Context(), b.runner, b.spec, c, scripttools.RunOptions{})
	path := filepath.Join(t.TempDir(), "x.test.json")
	if err := (&cases.File{Cases: []*cases.Case{c}}).Write(path); err != nil {
		t.Fatal(err)
	}
	file, err := cases.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	b.calls.Store(0)
	return file.Cases[0]
}

func (b *bench) replay(t *testing.T, c *cases.Case) *cases.Verdict {
	t.Helper()
	verdict := cases.Replay(t.Context(), b.runner, b.stands, b.spec, c)
	if n := b.calls.Load(); n > 0 {
		t.Errorf("a replay called the tools %d times", n)
	}
	return verdict
}

// TestWhatIsRecordedHolds: the same again, with nothing done.
func TestWhatIsRecordedHolds(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"values":     `const a = await ctx.tool("echo", {a: [1, "x\ny"]}); return [a, inputs, Date.now(), Math.random(), crypto.randomUUID()];`,
		"parallel":   `return (await Promise.all([1, 2, 1, 1].map((n) => ctx.tool("count", {n})))).map((r) => r.data);`,
		"background": `const h = await ctx.shell.start("x"); const seen = [await h.output({since: 2}), await h.wait(), await h.wait()]; await h.release(); return seen;`,
		"after":      `const h = await ctx.shell.start("x"); await h.release(); return await h.wait().catch((e) => e.code);`,
		"refused":    `return await ctx.approve("really?").catch((e) => [e.code, e.message]);`,
		"denied":     `return await ctx.tool("nosuch", {}).catch((e) => e.code);`,
		"pending":    `return await Promise.race([ctx.tool("wait", {}), new Promise((done) => setTimeout(done, 1, "first"))]).finally(() => { throw new Error("enough"); });`,
		"overtaken":  `ctx.tool("wait", {}); throw new Error("enough");`,
		"unheard":    `ctx.tool("echo", {}); ctx.tool("count", {}); throw new Error("enough");`,
		"left":       `const h = await ctx.shell.start("x"); h.wait(); throw new Error("enough");`,
		"failed":     `ctx.fail("no such thing", {tried: 3});`,
		"looks like": `return [{$match: "x"}, {$any: 1, b: 2}, (await ctx.tool("echo", {a: {$has: 1}})).data];`,
		"nothing":    `return;`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, "", script)
			c := b.recorded(t, &cases.Case{Name: name, Inputs: json.RawMessage(`{"x": 1}`)})
			for range 5 {
				if verdict := b.replay(t, c); !verdict.OK() {
					text, _ := json.Marshal(c)
					t.Fatalf("%s\n%s", verdict, text)
				}
			}
		})
	}
}

// TestADifferenceIsTold: of the value, of calls, of how it ended.
func TestADifferenceIsTold(t *testing.T) {
	t.Parallel()
	b := newBench(t, "", `const a = await ctx.tool("echo", {path: "a", deep: {n: 1}}); const b = await ctx.tool("echo", {path: "b"}); return {text: a.text ?? b.output, n: 1};`)
	c := b.recorded(t, &cases.Case{Name: "c"})
	for _, test := range []struct {
		name, body string
		want       []string
	}{
		{"value", `await ctx.tool("echo", {path: "a", deep: {n: 1}}); await ctx.tool("echo", {path: "b"}); return {text: "got\nno", n: "1", more: true};`,
			[]string{`value.n: got "1", want 1`, `value.text, line 2: got "no", want "{\"path\":\"b\"}"`, `value.more: got true, want nothing`}},
		{"call", `await ctx.tool("echo", {path: "a", deep: {n: 2}}).catch(() => 1); await ctx.tool("echo", {path: "b"}); return {text: "got\n{\"path\":\"b\"}", n: 1};`,
			[]string{`call 1 was not recorded: echo {"deep":{"n":2},"path":"a"}, at `, `x.js:8:`, `the nearest recorded call is echo {"deep":{"n":1},"path":"a"}`, `args.deep.n: got 2, want 1`}},
		{"no such call", `await ctx.tool("count", {});`, []string{`call 1 was not recorded: count {}`, "no call of count was", "2 recorded calls were not made", "outcome: got script_error, want ok"}},
		{"once more", `await ctx.tool("echo", {path: "a", deep: {n: 1}}); await ctx.tool("echo", {path: "b"}); await ctx.tool("echo", {path: "b"});`,
			[]string{`call 3 was recorded less often than it was made: echo {"path":"b"}`}},
		{"less", `await ctx.tool("echo", {path: "b"}); return {text: "got\n{\"path\":\"b\"}", n: 1};`, []string{`recorded, and not made: echo {"deep":{"n":1},"path":"a"}`}},
		{"outcome", `null.x;`, []string{"x.js:8:", "TypeError", "outcome: got script_error, want ok"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			verdict := cases.Replay(t.Context(), b.runner, b.stands, b.load(t, "", test.body), c)
			for _, want := range test.want {
				if !strings.Contains(verdict.String(), want) {
					t.Errorf("it does not say %s:\n%s", want, verdict)
				}
			}
		})
	}
	if n := b.calls.Load(); n > 0 {
		t.Errorf("the tools were called %d times", n)
	}
}

// TestPoliciesHoldInAReplay: the tool's list, the host's policies and the limits.
func TestPoliciesHoldInAReplay(t *testing.T) {
	t.Parallel()
	const script = `return (await ctx.tool("echo", {})).output;`
	c := newBench(t, "", script).recorded(t, &cases.Case{Name: "c"})
	deny := hostapi.Rules{Deny: []hostapi.Rule{{Tool: "echo", From: "the test"}}}
	if verdict := newBench(t, "", script, deny).replay(t, c); !strings.Contains(verdict.String(), "outcome: got denied, want ok") {
		t.Error(verdict)
	}
	c.Calls = append(c.Calls, c.Calls[0])
	if verdict := newBench(t, "limits: {maxToolCalls: 1}", script+script).replay(t, c); verdict.OK() {
		t.Error(verdict)
	}
	twice := newBench(t, "limits: {maxToolCalls: 1}", `await ctx.tool("echo", {});`+script)
	if verdict := twice.replay(t, c); !strings.Contains(verdict.String(), "outcome: got limit, want ok") {
		t.Error(verdict)
	}
}

// TestAPersonsAnswers: what was allowed is allowed again, and what was refused is refused.
func TestAPersonsAnswers(t *testing.T) {
	t.Parallel()
	ask := hostapi.Rules{Ask: []hostapi.Rule{{Tool: "echo", From: "the test"}}}
	b := newBench(t, "", `const said = []; for (const n of [1, 2]) said.push(await ctx.tool("echo", {n}).then(() => "yes", (e) => e.code)); return said;`, ask)
	c := &cases.Case{Name: "c"}
	cases.Record(t.Context(), b.runner, b.spec, c, scripttools.RunOptions{Approver: second{}})
	b.calls.Store(0)
	if string(c.Value) != `["denied","yes"]` || c.Calls[0].Refused == "" || c.Calls[1].Result == nil {
		t.Fatalf("recorded %s, %+v", c.Value, c.Calls)
	}
	if verdict := b.replay(t, c); !verdict.OK() {
		t.Error(verdict)
	}
	free := newBench(t, "", `return await ctx.tool("echo", {n: 1}).catch((e) => e.code);`)
	if verdict := free.replay(t, c); !strings.Contains(verdict.String(), "a person was asked about it when it was recorded") {
		t.Error(verdict)
	}
}

// second says yes to the second call.
type second struct{}

func (second) Approve(_ context.Context, q hostapi.Question) (hostapi.Answer, error) {
	if q.Call.Seq == 2 {
		return hostapi.AnswerOnce, nil
	}
	return hostapi.AnswerNo, nil
}

// TestMatchersStay where they match what is recorded.
func TestMatchersStay(t *testing.T) {
	t.Parallel()
	b := newBench(t, "", `const r = await ctx.tool("echo", {id: "a1"}); return {id: "a1", n: inputs.n, r: r.output};`)
	c := &cases.Case{
		Name: "c", Inputs: json.RawMessage(`{"n": 1}`),
		Calls:    []*cases.Call{{Tool: "echo", Args: json.RawMessage(`{"id": {"$match": "^a"}}`)}},
		Expected: cases.Expected{Value: json.RawMessage(`{"id": {"$match": "^a"}, "n": {"$any": "number"}, "r": {"$any": "string"}}`)},
	}
	c = b.recorded(t, c)
	if !strings.Contains(string(c.Value), "$match") || !strings.Contains(string(c.Calls[0].Args), "$match") || c.Calls[0].Result == nil {
		t.Errorf("%s, %+v", c.Value, c.Calls[0])
	}
	c.Inputs = json.RawMessage(`{"n": "one"}`)
	if verdict := b.replay(t, c); !strings.Contains(verdict.String(), `value.n: got "one", want number`) {
		t.Error(verdict)
	}
	if c = b.recorded(t, c); strings.Contains(string(c.Value), "$") {
		t.Errorf("what does not match is kept: %s", c.Value)
	}
}

// TestACaseThatExpectsNothingFails.
func TestACaseThatExpectsNothingFails(t *testing.T) {
	t.Parallel()
	b := newBench(t, "", "return 1")
	if verdict := b.replay(t, &cases.Case{Name: "c"}); verdict.OK() {
		t.Error("it holds")
	}
	if verdict := b.replay(t, &cases.Case{Name: "c", Expected: cases.Expected{Outcome: runtime.OutcomeOK}}); !verdict.OK() {
		t.Error(verdict)
	}
}

func TestMain(m *testing.M) {
	runtime.WorkerMain()
	os.Exit(m.Run())
}
