package hostapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/hosttest"
	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// paths is a tool whose rules take a prefix of the argument path; the argument
// "?" cannot be analysed.
type paths struct{ hosttest.Fake }

type subject string

func (s subject) String() string            { return string(s) }
func (s subject) Match(pattern string) bool { return strings.HasPrefix(string(s), pattern) }

// Objection says that the rule kept covers no secret.
func (s subject) Objection(pattern string) string {
	if strings.HasSuffix(string(s), "=secret") && pattern == "kept" {
		return "kept does not cover secrets"
	}
	return ""
}

func (*paths) CheckPattern(pattern string) error {
	if strings.Contains(pattern, "!") {
		return errors.New("a pattern has no !")
	}
	return nil
}

type planned []hostapi.Subject

func (p planned) Subjects() []hostapi.Subject { return p }

func (*paths) Plan(_ context.Context, call hostapi.Call) (hostapi.Plan, error) {
	var args struct{ Path string }
	if err := json.Unmarshal(call.Args, &args); err != nil {
		return nil, err
	}
	switch args.Path {
	case "?":
		return nil, &hostapi.OpaqueError{Reason: "the path is a question mark"}
	case "":
		return nil, nil
	}
	var out planned
	for part := range strings.SplitSeq(args.Path, ",") {
		out = append(out, subject(part))
	}
	return out, nil
}

func (*paths) GrantNames() []string { return []string{"special"} }

func (*paths) GrantedBy(args json.RawMessage) []string {
	if strings.Contains(string(args), "special") {
		return []string{"special"}
	}
	return nil
}

func (*paths) Check(args json.RawMessage) error {
	if strings.Contains(string(args), "forbidden") {
		return errors.New("a forbidden word")
	}
	return nil
}

func registry(t testing.TB, tools ...hostapi.Tool) *hostapi.Registry {
	t.Helper()
	r, err := hostapi.NewRegistry(tools...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func rules(t testing.TB, texts ...string) []hostapi.Rule {
	t.Helper()
	var out []hostapi.Rule
	for _, text := range texts {
		rule, err := hostapi.ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, rule)
	}
	return out
}

func gate(t testing.TB, config hostapi.GateConfig) *hostapi.Gate {
	t.Helper()
	g := hostapi.NewGate(t.Context(), config)
	t.Cleanup(func() { g.Close(time.Minute) })
	return g
}

func TestAllowList(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		allow []string
		args  string
		code  hostapi.Code // empty: granted
		says  string
		by    string
	}{
		{"nothing is allowed", nil, `{"path":"a"}`, "denied", "no tool is", ""},
		{"another tool is", []string{"other"}, `{"path":"a"}`, "denied", "allowed: other", ""},
		{"bare", []string{"paths"}, `{"path":"a"}`, "", "", "paths"},
		{"a pattern that matches", []string{"paths(a)"}, `{"path":"ab"}`, "", "", "paths(a)"},
		{"a pattern that does not", []string{"paths(a)"}, `{"path":"b"}`, "denied", `not allowed for "b"`, ""},
		{"every subject must match", []string{"paths(a)"}, `{"path":"a,b"}`, "denied", `not allowed for "b"`, ""},
		{"some rule for each", []string{"paths(a)", "paths(b)"}, `{"path":"a,b"}`, "", "", "paths(b)"},
		{"opaque needs a bare rule", []string{"paths(a)"}, `{"path":"?"}`, "denied", "question mark", ""},
		{"opaque with a bare rule", []string{"paths"}, `{"path":"?"}`, "", "", "paths"},
		{"no subject matches no pattern", []string{"paths(a)"}, `{}`, "denied", "nothing to match", ""},
		{"a further name", []string{"special"}, `{"path":"special"}`, "", "", "special"},
		{"a further name for other arguments", []string{"special"}, `{"path":"a"}`, "denied", "not allowed", ""},
		{"the tool's own check", []string{"paths"}, `{"path":"forbidden"}`, "invalid_args", "forbidden word", "paths"},
		{"the schema", []string{"paths"}, `{"path":5}`, "invalid_args", "/path", "paths"},
		{"not an object", []string{"paths"}, `[1]`, "invalid_args", "JSON object", "paths"},
		{"not JSON", []string{"paths"}, `{"a"`, "invalid_args", "not JSON", "paths"},
		{"bad arguments of what is not allowed", []string{"other"}, `{"path":5}`, "denied", "allowed: other", ""},
		{"bad arguments under a pattern", []string{"paths(a)"}, `{"path":5}`, "invalid_args", "/path", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tool := &paths{hosttest.Fake{ToolName: "paths", Answer: hostapi.Succeed("ok"), About: hostapi.Description{
				Input: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`),
			}}}
			g := gate(t, hostapi.GateConfig{Registry: registry(t, tool, &hosttest.Fake{ToolName: "other"}), Policies: []hostapi.Policy{hostapi.AllowList(rules(t, c.allow...))}})
			_, err := g.Invoke(t.Context(), hostapi.Call{Seq: 1, Tool: "paths", Args: json.RawMessage(c.args)})
			row := g.Records()[0]
			if c.code == "" {
				if err != nil || row.Status != hostapi.StatusOK || row.Verdict != hostapi.VerdictAllow || row.Rule != c.by {
					t.Errorf("error %v, row %+v", err, row)
				}
				return
			}
			if err == nil || hostapi.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.says) || row.Code != c.code || row.Err != err.Error() {
				t.Errorf("error %v, row %+v", err, row)
			}
			if len(tool.Calls()) != 0 || row.Invoked() {
				t.Error("it was invoked all the same")
			}
			if row.Rule != c.by {
				t.Errorf("granted by %q, want %q", row.Rule, c.by)
			}
		})
	}
}

func TestUnknownTool(t *testing.T) {
	t.Parallel()
	g := gate(t, hostapi.GateConfig{Registry: registry(t, &hosttest.Fake{ToolName: "grep"}), Policies: []hostapi.Policy{hostapi.AllowList(rules(t, "grep"))}})
	_, err := g.Invoke(t.Context(), hostapi.Call{Seq: 1, Tool: "grepp"})
	var denied *hostapi.DeniedError
	if !errors.As(err, &denied) || !denied.Unknown || !errors.Is(err, hostapi.ErrDenied) || hostapi.CodeOf(err) != hostapi.CodeUnknownTool || !strings.Contains(err.Error(), `"grep"`) {
		t.Errorf("got %v", err)
	}
	var zero hostapi.GateConfig
	if _, err := gate(t, zero).Invoke(t.Context(), hostapi.Call{Tool: "grep"}); !errors.Is(err, hostapi.ErrDenied) {
		t.Errorf("the zero gate: %v", err)
	}
}

// lists are policies that each must grant a call.
func lists(all ...[]hostapi.Rule) (policies []hostapi.Policy) {
	for _, rules := range all {
		policies = append(policies, hostapi.AllowList(rules))
	}
	return policies
}

func TestNarrowOnlyTakesAway(t *testing.T) {
	t.Parallel()
	names := []string{"a", "b", "c"}
	var tools []hostapi.Tool
	for _, name := range names {
		tools = append(tools, &hosttest.Fake{ToolName: name})
	}
	r := registry(t, tools...)
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) (out []hostapi.Rule) {
			for _, name := range rapid.SliceOfDistinct(rapid.SampledFrom(names), rapid.ID[string]).Draw(t, label) {
				out = append(out, hostapi.Rule{Tool: name})
			}
			return out
		}
		allow, narrow := draw("allow"), [][]hostapi.Rule{draw("first"), draw("second")}
		g := hostapi.NewGate(context.Background(), hostapi.GateConfig{Registry: r, Policies: lists(append([][]hostapi.Rule{allow}, narrow...)...)})
		defer g.Close(time.Minute)
		for i, name := range names {
			_, err := g.Invoke(context.Background(), hostapi.Call{Seq: i + 1, Tool: name})
			granted := true
			for _, list := range append(narrow, allow) {
				has := false
				for _, rule := range list {
					has = has || rule.Tool == name
				}
				granted = granted && has
			}
			if granted != (err == nil) {
				t.Fatalf("%s: granted %t, error %v", name, granted, err)
			}
		}
	})
}

func TestQuota(t *testing.T) {
	t.Parallel()
	fail := &hosttest.Fake{ToolName: "fail", Answer: hostapi.Fail("no")}
	g := gate(t, hostapi.GateConfig{Registry: registry(t, fail), Policies: []hostapi.Policy{hostapi.AllowList(rules(t, "fail"))}, Quota: hostapi.Quota{MaxToolCalls: 2}})
	for i := range 4 {
		result, err := g.Invoke(t.Context(), hostapi.Call{Seq: i + 1, Tool: "fail"})
		if i < 2 {
			if err != nil || result.Outcome != hostapi.OutcomeFailed {
				t.Errorf("call %d: %+v %v", i+1, result, err)
			}
			continue
		}
		var over *hostapi.QuotaError
		if !errors.As(err, &over) || over.Limit != hostapi.LimitToolCalls || over.Asked != int64(i+1) || !errors.Is(err, hostapi.ErrOverLimit) {
			t.Errorf("call %d: %v", i+1, err)
		}
	}
	if calls, _ := g.Used(); calls != 2 || len(fail.Calls()) != 2 || len(g.Records()) != 4 || g.Records()[3].Limit != hostapi.LimitToolCalls {
		t.Errorf("used %d, invoked %d, rows %+v", calls, len(fail.Calls()), g.Records())
	}
	// What is denied costs nothing; bytes are counted both ways.
	big := &hosttest.Fake{ToolName: "big", Answer: hostapi.Succeed(strings.Repeat("x", 600))}
	g = gate(t, hostapi.GateConfig{Registry: registry(t, big), Policies: []hostapi.Policy{hostapi.AllowList(rules(t, "big"))}, Quota: hostapi.Quota{MaxTotalBytes: 1000, MaxArgsBytes: 100}})
	if _, err := g.Invoke(t.Context(), hostapi.Call{Seq: 1, Tool: "nope"}); err == nil {
		t.Error("nope was allowed")
	}
	if _, err := g.Invoke(t.Context(), hostapi.Call{Seq: 2, Tool: "big", Args: json.RawMessage(`{"a":"` + strings.Repeat("x", 200) + `"}`)}); !errors.Is(err, hostapi.ErrOverLimit) {
		t.Errorf("large arguments: %v", err)
	}
	if r, err := g.Invoke(t.Context(), hostapi.Call{Seq: 3, Tool: "big"}); err != nil || len(r.Output) != 600 {
		t.Errorf("the first: %v %v", r, err)
	}
	if r, err := g.Invoke(t.Context(), hostapi.Call{Seq: 4, Tool: "big"}); err != nil || !r.Truncated || !strings.Contains(r.Output, hostapi.LimitTotalBytes) || r.Outcome != hostapi.OutcomeFailed {
		t.Errorf("the second: %+v %v", r, err)
	}
}

func TestCap(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("é", 500)
	tool := &hosttest.Fake{ToolName: "t", Answer: hostapi.Result{
		Output: strings.Repeat("漢", 500), Text: &text,
		Data: json.RawMessage(`"` + strings.Repeat("x", 1500) + `"`), Metadata: json.RawMessage(`{"m":"` + strings.Repeat("x", 1500) + `"}`),
	}}
	g := gate(t, hostapi.GateConfig{Registry: registry(t, tool), Policies: []hostapi.Policy{hostapi.AllowList(rules(t, "t"))}, Quota: hostapi.Quota{MaxResultBytes: 100}})
	r, err := g.Invoke(t.Context(), hostapi.Call{Seq: 1, Tool: "t"})
	if err != nil || !r.Truncated || !strings.Contains(string(r.Metadata), `"dataBytes":1502`) || !json.Valid(r.Metadata) {
		t.Fatalf("%+v %v", r, err)
	}
	var data string
	if err := json.Unmarshal(r.Data, &data); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{r.Output, *r.Text, data} {
		if len(s) > 100 || strings.ContainsRune(s, '\uFFFD') || !strings.Contains(s, "bytes dropped here") {
			t.Errorf("got %q", s)
		}
	}
	row := g.Records()[0]
	if want := int64(1500 + 1000 + 1502 + 1508); row.OutputBytes != want || !row.Truncated {
		t.Errorf("recorded %d bytes, want %d", row.OutputBytes, want)
	}
}

func TestToolsThatMisbehave(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(context.Context, hostapi.Call) (hostapi.Result, error)
		want string
	}{
		"panic": {func(context.Context, hostapi.Call) (hostapi.Result, error) { panic("oh") }, "panicked in Invoke: oh"},
		"error": {func(context.Context, hostapi.Call) (hostapi.Result, error) {
			return hostapi.Result{}, errors.New("broken")
		}, "broken"},
		"bad data": {func(context.Context, hostapi.Call) (hostapi.Result, error) {
			return hostapi.Result{Data: []byte("{")}, nil
		}, "not JSON"},
		"bad encode": {func(context.Context, hostapi.Call) (hostapi.Result, error) {
			return hostapi.Succeed("").WithData(func() {}), nil
		}, "not JSON"},
	} {
		g := gate(t, hostapi.GateConfig{Registry: registry(t, &hosttest.Fake{ToolName: "t", Do: c.do}), Policies: []hostapi.Policy{hostapi.AllowList(rules(t, "t"))}})
		r, err := g.Invoke(t.Context(), hostapi.Call{Seq: 1, Tool: "t"})
		if err != nil || r.Outcome != hostapi.OutcomeFailed || r.ExitCode != 1 || !strings.Contains(r.Output, c.want) || g.Records()[0].Status != hostapi.StatusFailed {
			t.Errorf("%s: %+v %v", name, r, err)
		}
	}
}

// Whatever way a run ends, each call has one row with an end, in issue order.
func TestCloseSettlesTheLedger(t *testing.T) {
	t.Parallel()
	var inside sync.WaitGroup
	inside.Add(2)
	obedient := &hosttest.Fake{ToolName: "obedient", Do: func(ctx context.Context, _ hostapi.Call) (hostapi.Result, error) {
		inside.Done()
		<-ctx.Done()
		return hostapi.Result{}, ctx.Err()
	}}
	release := make(chan struct{})
	stubborn := &hosttest.Fake{ToolName: "stubborn", Do: func(context.Context, hostapi.Call) (hostapi.Result, error) {
		inside.Done()
		<-release
		return hostapi.Succeed("late"), nil
	}}
	var mu sync.Mutex
	ended := map[int]int{}
	g := hostapi.NewGate(t.Context(), hostapi.GateConfig{
		Registry: registry(t, obedient, stubborn), Policies: []hostapi.Policy{hostapi.AllowList(rules(t, "obedient", "stubborn"))}, Quota: hostapi.Quota{MaxConcurrent: 2},
		Observer: hostapi.Observer{CallEnded: func(r hostapi.Record) { mu.Lock(); ended[r.Seq]++; mu.Unlock() }},
	})
	var calls sync.WaitGroup
	for i, name := range []string{"obedient", "stubborn", "obedient", "unknown"} { // the third waits for a slot
		issued, err := g.Issue(t.Context(), hostapi.Call{Seq: i + 1, Tool: name})
		if err != nil {
			continue
		}
		if i < 2 {
			calls.Go(func() { _, _ = issued.Do(t.Context()) })
			continue
		}
		inside.Wait()
		calls.Go(func() { _, _ = issued.Do(t.Context()) })
	}
	if g.Close(time.Millisecond) == nil {
		t.Error("a stubborn tool counts as settled")
	}
	var statuses []hostapi.Status
	for _, row := range g.Records() {
		statuses = append(statuses, row.Status)
		if row.Ended.IsZero() {
			t.Errorf("%+v has no end", row)
		}
	}
	want := []hostapi.Status{"cancelled", "cancelled", "cancelled", "denied"}
	if diff := cmp.Diff(want, statuses); diff != "" {
		t.Error(diff)
	}
	before := fmt.Sprint(g.Records())
	close(release)
	calls.Wait()
	if after := fmt.Sprint(g.Records()); after != before {
		t.Error("a late result changed the ledger")
	}
	if _, err := g.Invoke(t.Context(), hostapi.Call{Seq: 5, Tool: "obedient"}); err == nil || len(g.Records()) != 4 {
		t.Error("a call was taken after the end")
	}
	if g.Close(time.Minute) != nil {
		t.Error("it is not settled")
	}
	mu.Lock()
	defer mu.Unlock()
	if diff := cmp.Diff(map[int]int{1: 1, 2: 1, 3: 1, 4: 1}, ended); diff != "" {
		t.Errorf("endings told: %s", diff)
	}
}

func TestRecordedArgumentsAreBounded(t *testing.T) {
	t.Parallel()
	g := gate(t, hostapi.GateConfig{Registry: registry(t, &hosttest.Fake{ToolName: "t"}), Policies: []hostapi.Policy{hostapi.AllowList(rules(t, "t"))}})
	long := `{"a":"` + strings.Repeat("é", 20000) + `"}`
	if _, err := g.Invoke(t.Context(), hostapi.Call{Seq: 1, Tool: "t", Args: json.RawMessage(long)}); err != nil {
		t.Fatal(err)
	}
	args := g.Records()[0].Args
	if len(args) > 16<<10 || !json.Valid(args) || !strings.Contains(string(args), fmt.Sprintf(`"bytes":%d`, len(long))) {
		t.Errorf("recorded %s", args)
	}
}

// TestPlanReachesTheTool: what rules with patterns decided on is what the tool
// is given, resolved once; without such a rule nothing was decided on.
func TestPlanReachesTheTool(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name         string
		allow        []hostapi.Rule
		narrow       [][]hostapi.Rule
		plans, given int
	}{
		{name: "a pattern", allow: rules(t, "read(a)"), plans: 1, given: 1},
		{name: "no pattern", allow: rules(t, "read")},
		{name: "a pattern beside none", allow: rules(t, "read(a)", "read")},
		{name: "patterns in two lists", allow: rules(t, "read(a)"), narrow: [][]hostapi.Rule{rules(t, "read(a/b)")}, plans: 1, given: 1},
		{name: "a pattern that narrows", allow: rules(t, "read"), narrow: [][]hostapi.Rule{rules(t, "read(a)")}, plans: 1, given: 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tool := &counting{paths: paths{hosttest.Fake{ToolName: "read"}}}
			registry, err := hostapi.NewRegistry(tool)
			if err != nil {
				t.Fatal(err)
			}
			gate := hostapi.NewGate(t.Context(), hostapi.GateConfig{Registry: registry, Policies: lists(append([][]hostapi.Rule{test.allow}, test.narrow...)...)})
			defer gate.Close(time.Second)
			if _, err := gate.Invoke(t.Context(), hostapi.Call{Seq: 1, Tool: "read", Args: json.RawMessage(`{"path":"a/b"}`)}); err != nil {
				t.Fatal(err)
			}
			given := 0
			if plan, ok := tool.Calls()[0].Plan.(planned); ok {
				given = len(plan)
			}
			if tool.plans != test.plans || given != test.given {
				t.Errorf("planned %d times, want %d; the tool was given %d subjects, want %d", tool.plans, test.plans, given, test.given)
			}
		})
	}
}

// counting counts how often it plans.
type counting struct {
	paths
	plans int
}

func (c *counting) Plan(ctx context.Context, call hostapi.Call) (hostapi.Plan, error) {
	c.plans++
	return c.paths.Plan(ctx, call)
}

func TestRefusalSaysWhyAPatternDoesNotCover(t *testing.T) {
	t.Parallel()
	tool := &paths{hosttest.Fake{ToolName: "p"}}
	registry, err := hostapi.NewRegistry(tool)
	if err != nil {
		t.Fatal(err)
	}
	gate := hostapi.NewGate(t.Context(), hostapi.GateConfig{Registry: registry, Policies: []hostapi.Policy{hostapi.AllowList{{Tool: "p", Pattern: "other"}, {Tool: "p", Pattern: "kept", From: "x.js:1:2"}}}})
	defer gate.Close(0)
	for path, want := range map[string]string{
		"a=secret": "by p(kept) (x.js:1:2): kept does not cover secrets",
		"a":        "it is allowed only as p(other), p(kept) (x.js:1:2)",
	} {
		_, err := gate.Invoke(t.Context(), hostapi.Call{Seq: 1, Tool: "p", Args: json.RawMessage(`{"path":"` + path + `"}`)})
		if !errors.Is(err, hostapi.ErrDenied) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is refused with %v, want %s", path, err, want)
		}
	}
}
