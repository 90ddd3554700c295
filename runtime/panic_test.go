package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
)

// bomb is a tool that can do everything, and panics in one method.
type bomb struct{ in string }

func (b bomb) at(method string) {
	if b.in == method {
		panic("bang")
	}
}

func (b bomb) Name() string { b.at("Tool.Name"); return "bash" }

func (b bomb) Describe() hostapi.Description {
	b.at("Describer.Describe")
	return hostapi.Description{Summary: "It may blow up.", Effect: hostapi.EffectRead}
}

func (b bomb) Validate() error { b.at("Validator.Validate"); return nil }

func (b bomb) GrantNames() []string { b.at("Granter.GrantNames"); return []string{"fuse"} }

func (b bomb) GrantedBy(json.RawMessage) []string { b.at("Granter.GrantedBy"); return nil }

func (b bomb) CheckPattern(string) error { b.at("Scoper.CheckPattern"); return nil }

func (b bomb) PatternEffect(string) hostapi.Effect {
	b.at("Narrower.PatternEffect")
	return hostapi.EffectUnknown
}

func (b bomb) Plan(context.Context, hostapi.Call) (hostapi.Plan, error) {
	b.at("Scoper.Plan")
	return bombPlan(b), nil
}

func (b bomb) Check(json.RawMessage) error { b.at("Checker.Check"); return nil }

func (b bomb) Confinement() []hostapi.Measure {
	b.at("Confiner.Confinement")
	return []hostapi.Measure{{Name: "all"}}
}

func (b bomb) Invoke(context.Context, hostapi.Call) (hostapi.Result, error) {
	b.at("Tool.Invoke")
	return hostapi.Succeed(""), nil
}

func (b bomb) Start(context.Context, hostapi.Call) (hostapi.Handle, hostapi.Result, error) {
	b.at("Starter.Start")
	if b.in == "Ender.End" {
		return bombEnder{bombHandle(b)}, hostapi.Succeed(""), nil
	}
	return bombHandle(b), hostapi.Succeed(""), nil
}

func (b bomb) Unwrap() hostapi.Tool { b.at("Unwrapper.Unwrap"); return nil }

func (b bomb) Concerns(hostapi.Rule) bool { b.at("Toucher.Concerns"); return true }

func (b bomb) Touches(context.Context, hostapi.Call, hostapi.Rule) (bool, error) {
	b.at("Toucher.Touches")
	return true, nil
}

func (b bomb) Preview(context.Context, hostapi.Call) (string, error) {
	b.at("Previewer.Preview")
	return "it blows up", nil
}

func (b bomb) Decide(context.Context, hostapi.Call) (hostapi.Decision, error) {
	b.at("Policy.Decide")
	return hostapi.Decision{Verdict: hostapi.VerdictAllow}, nil
}

func (b bomb) Approve(_ context.Context, q hostapi.Question) (hostapi.Answer, error) {
	b.at("Approver.Approve")
	if q.Preview != "it blows up" {
		return hostapi.AnswerNo, errors.New(q.Preview)
	}
	return hostapi.AnswerOnce, nil
}

func (b bomb) Close() error { b.at("io.Closer.Close"); return nil }

type bombPlan bomb

func (p bombPlan) Subjects() []hostapi.Subject {
	bomb(p).at("Plan.Subjects")
	return []hostapi.Subject{bombSubject(p)}
}

type bombSubject bomb

func (s bombSubject) Objection(string) string   { bomb(s).at("Objector.Objection"); return "" }
func (s bombSubject) String() string            { bomb(s).at("Subject.String"); return "a subject" }
func (s bombSubject) Match(pattern string) bool { bomb(s).at("Subject.Match"); return pattern == "x" }

type bombHandle bomb

func (h bombHandle) Wait(ctx context.Context) (hostapi.Result, error) {
	bomb(h).at("Handle.Wait")
	<-ctx.Done()
	return hostapi.Result{}, ctx.Err()
}

func (h bombHandle) Operate(context.Context, string, json.RawMessage) (hostapi.Result, error) {
	bomb(h).at("Handle.Operate")
	return hostapi.Succeed(""), nil
}

func (h bombHandle) Close() error { bomb(h).at("Handle.Close"); return nil }

type bombEnder struct{ bombHandle }

func (h bombEnder) End(ctx context.Context) (hostapi.Result, error) {
	bomb(h.bombHandle).at("Ender.End")
	return h.Wait(ctx)
}

// bangs says where a panic in a method is told: by New, by Close, or as the
// outcome of a run and the statuses of its calls: one with a pattern that
// matches, one with another, one in the background.
var bangs = map[string]struct {
	new, close bool
	outcome    runtime.Outcome
	statuses   string
}{
	"Tool.Name":              {new: true},
	"Unwrapper.Unwrap":       {new: true},
	"Toucher.Concerns":       {outcome: "ok", statuses: "denied denied"},
	"Toucher.Touches":        {outcome: "ok", statuses: "denied denied"},
	"Previewer.Preview":      {outcome: "ok", statuses: "denied denied"},
	"Policy.Decide":          {outcome: "ok", statuses: "denied denied"},
	"Approver.Approve":       {outcome: "ok", statuses: "denied denied"},
	"Describer.Describe":     {new: true},
	"Validator.Validate":     {new: true},
	"Granter.GrantNames":     {new: true},
	"Scoper.CheckPattern":    {outcome: "invalid_input"},
	"Narrower.PatternEffect": {outcome: "ok", statuses: "ok cancelled"},
	"Granter.GrantedBy":      {outcome: "ok", statuses: "denied denied"},
	"Scoper.Plan":            {outcome: "ok", statuses: "denied denied"},
	"Plan.Subjects":          {outcome: "ok", statuses: "denied denied"},
	"Subject.Match":          {outcome: "ok", statuses: "denied denied"},
	"Subject.String":         {outcome: "ok", statuses: "denied denied"},
	"Objector.Objection":     {outcome: "ok", statuses: "denied denied"},
	"Checker.Check":          {outcome: "ok", statuses: "failed failed"},
	"Tool.Invoke":            {outcome: "ok", statuses: "failed cancelled"},
	"Starter.Start":          {outcome: "ok", statuses: "ok failed"},
	"Handle.Wait":            {outcome: "ok", statuses: "ok failed"},
	"Handle.Operate":         {outcome: "ok", statuses: "ok cancelled"},
	"Ender.End":              {outcome: "ok", statuses: "ok failed"},
	"Handle.Close":           {outcome: "ok", statuses: "ok cancelled"},
	"Confiner.Confinement":   {outcome: "ok", statuses: "ok cancelled"},
	"io.Closer.Close":        {outcome: "ok", statuses: "ok cancelled", close: true},
}

// TestPanicInAnyMethodOfATool: it is an error where it happens, the report is
// complete, and the host lives.
func TestPanicInAnyMethodOfATool(t *testing.T) {
	t.Parallel()
	for method, want := range bangs {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			ask := hostapi.Rule{Tool: "bash", Pattern: "z"}
			if method == "Scoper.CheckPattern" {
				ask.Pattern = "" // the run's own rule has one
			}
			runner, err := runtime.New(runtime.Options{
				Tools: []hostapi.Tool{bomb{method}}, InProcess: true, Approver: bomb{method},
				Policies: []hostapi.Policy{bomb{method}, hostapi.Rules{Ask: []hostapi.Rule{ask}}},
			})
			if want.new {
				if err == nil || !strings.Contains(err.Error(), "panicked") {
					t.Errorf("New: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if effect := runner.Registry().EffectOf(hostapi.Rule{Tool: "bash", Pattern: "x"}); effect != hostapi.EffectRead {
				t.Errorf("a rule allows %v, and not what the tool does", effect)
			}
			pattern := "x"
			if method == "Subject.String" || method == "Objector.Objection" {
				pattern = "y" // which is not the subject's, so that it is shown
			}
			report := runner.Run(t.Context(), runtime.Request{
				Program: compile(t, runner, `const seen = [];
try { seen.push((await ctx.tool("bash")).exitCode) } catch (e) { seen.push(e.code) }
try {
	const handle = await ctx.shell.start("x");
	seen.push(typeof handle);
	try { seen.push((await handle.output()).exitCode) } catch (e) { seen.push(e.message) }
} catch (e) { seen.push(e.code ?? e.message) }
return seen`),
				Allow: []hostapi.Rule{{Tool: "bash", Pattern: pattern}},
			})
			var statuses []string
			for _, c := range report.Calls {
				statuses = append(statuses, string(c.Status))
			}
			if report.Outcome != want.outcome || strings.Join(statuses, " ") != want.statuses || len(report.Isolation.UnsettledTools) > 0 {
				t.Errorf("%s: %s, %v, %v, calls %q", report, report.Value, report.Failure, report.Isolation, statuses)
			}
			text, err := json.Marshal(report)
			if silent := method == "Handle.Close" || method == "Narrower.PatternEffect" || want.close; err != nil || !silent && !strings.Contains(string(text), "panicked") {
				t.Errorf("the report does not tell: %s, %v", text, err)
			}
			if err := runner.Close(); (err != nil) != want.close {
				t.Errorf("Close: %v", err)
			}
		})
	}
}

// TestPanicTableIsComplete: it has every method of every interface that a tool
// may implement, or something that a tool returns.
func TestPanicTableIsComplete(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../hostapi/*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := []string{"io.Closer.Close"}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if i, ok := spec.Type.(*ast.InterfaceType); ok && spec.Name.IsExported() {
				for _, m := range i.Methods.List {
					for _, method := range m.Names { // what is embedded has an entry of its own
						found = append(found, spec.Name.Name+"."+method.Name)
					}
				}
			}
			return true
		})
	}
	for _, method := range found {
		if _, ok := bangs[method]; !ok {
			t.Errorf("%s is not in the table of panics", method)
		}
	}
	for method := range bangs {
		if !slices.Contains(found, method) {
			t.Errorf("there is no %s", method)
		}
	}
}

// TestPanicOfAnObserver: one that panics misses what it was told, and nothing
// else happens.
func TestPanicOfAnObserver(t *testing.T) {
	bothCells(t, func(t *testing.T, options runtime.Options) {
		t.Helper()
		options.Tools = []hostapi.Tool{echoTool}
		options.Observer = runtime.Observer{
			CallStarted: func(hostapi.Call) { panic("bang") }, CallEnded: func(hostapi.Record) { panic("bang") },
			Logged: func(runtime.Entry) { panic("bang") }, Progressed: func(runtime.Progress) { panic("bang") },
		}
		runner := newRunner(t, options)
		report := runner.Run(t.Context(), runtime.Request{
			Program: compile(t, runner, `console.log("a"); ctx.progress({ done: 1, total: 2 }); return (await ctx.tool("echo")).exitCode`),
			Allow:   []hostapi.Rule{{Tool: "echo"}},
		})
		if string(report.Value) != "0" || len(report.Calls) != 1 || len(report.Logs) != 1 {
			t.Errorf("%s: %v, %+v %+v", report, report.Failure, report.Calls, report.Logs)
		}
	})
}
