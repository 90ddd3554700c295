package hostapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/hosttest"
)

// letters is a tool whose rules are about calls that have a letter of their pattern. Of
// one with a ? it cannot be told.
type letters struct{ hosttest.Fake }

func (l *letters) Concerns(rule hostapi.Rule) bool { return rule.Tool == l.ToolName }

func (l *letters) Touches(_ context.Context, call hostapi.Call, rule hostapi.Rule) (bool, error) {
	if strings.Contains(string(call.Args), "?") {
		return true, &hostapi.OpaqueError{Reason: "it is unclear"}
	}
	return strings.ContainsAny(rule.Pattern, strings.Trim(string(call.Args), `{"p:}`)), nil
}

// TestEveryRuleThatAsksIsAnswered: one question names all rules of all policies that ask
// about a call, and a yes for the run counts where each of them was said yes to. A
// call of which it cannot be told is asked about each time.
func TestEveryRuleThatAsksIsAnswered(t *testing.T) {
	t.Parallel()
	ruled := func(patterns ...string) (list []hostapi.Rule) {
		for _, p := range patterns {
			list = append(list, hostapi.Rule{Tool: "t", Pattern: p})
		}
		return list
	}
	many := ruled()
	for i := range 30 {
		many = append(many, hostapi.Rule{Tool: "t", Pattern: "z", From: fmt.Sprint("config.toml:", i)})
	}
	sure := policyFunc(func(context.Context, hostapi.Call) (hostapi.Decision, error) {
		return hostapi.Decision{Verdict: hostapi.VerdictAsk, Reason: "sure?"}, nil
	})
	for name, c := range map[string]struct {
		policies []hostapi.Policy
		calls    string
		asked    string // by which rules, a call each; . for one that is not asked about
		once     string // the calls of these that a yes is for alone
	}{
		"two rules of a file":      {[]hostapi.Policy{hostapi.Rules{Ask: ruled("a", "b")}}, "a ab a b ab c", "a a,b . . . .", ""},
		"two files":                {[]hostapi.Policy{hostapi.Rules{Ask: ruled("a")}, hostapi.Rules{Ask: ruled("b")}}, "a ab b", "a a,b .", ""},
		"two files, other order":   {[]hostapi.Policy{hostapi.Rules{Ask: ruled("b")}, hostapi.Rules{Ask: ruled("a")}}, "a b ab", "a b .", ""},
		"what cannot be told":      {[]hostapi.Policy{hostapi.Rules{Ask: ruled("a")}}, "a ? ? a", "a a a .", "??"},
		"no yes for what was said": {[]hostapi.Policy{hostapi.Rules{Ask: ruled("a")}}, "? a a", "a a .", "?"},
		"a policy without a rule":  {[]hostapi.Policy{sure, hostapi.Rules{Ask: ruled("a")}}, "a a c", "a a none", "aac"},
		"more than are read":       {[]hostapi.Policy{hostapi.Rules{Ask: many}}, "z z", "many many", "zz"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			who, tool := always(hostapi.AnswerRun), &letters{hosttest.Fake{ToolName: "t"}}
			allow := hostapi.AllowList{{Tool: "t"}}
			g := gate(t, hostapi.GateConfig{Registry: registry(t, tool), Policies: append([]hostapi.Policy{allow}, c.policies...), Approver: who})
			var asked []string
			once := ""
			for call := range strings.FieldsSeq(c.calls) {
				before := len(who.asked)
				if _, err := g.Invoke(t.Context(), hostapi.Call{Tool: "t", Args: json.RawMessage(`{"p":"` + call + `"}`)}); err != nil {
					t.Fatal(err)
				}
				if len(who.asked) == before {
					asked = append(asked, ".")
					continue
				}
				q := who.asked[before]
				var by []string
				for _, rule := range q.Rules {
					by = append(by, rule.Pattern)
				}
				switch {
				case len(by) == 0:
					by = []string{"none"}
				case len(by) == len(many):
					by = []string{"many"}
				}
				asked = append(asked, strings.Join(by, ","))
				if q.Once {
					once += call
				}
			}
			if got := strings.Join(asked, " "); got != c.asked || once != c.once {
				t.Errorf("asked by %q, want %q; once %q, want %q", got, c.asked, once, c.once)
			}
		})
	}
}

// TestAskDoesNotGrant: what a file asks about must be in its allow as well, and what
// grants it by a pattern there has it scoped.
func TestAskDoesNotGrant(t *testing.T) {
	t.Parallel()
	who, tool := always(hostapi.AnswerOnce), &paths{hosttest.Fake{ToolName: "read"}}
	g := gate(t, hostapi.GateConfig{Registry: registry(t, tool), Approver: who, Policies: []hostapi.Policy{
		hostapi.AllowList(rules(t, "read")), hostapi.Rules{Ask: rules(t, "read(a)", "read(b)"), Allow: rules(t, "read(a)")},
	}})
	var made []bool
	for _, path := range []string{"a/1", "b/1"} {
		_, err := g.Invoke(t.Context(), hostapi.Call{Tool: "read", Args: json.RawMessage(`{"path":"` + path + `"}`)})
		made = append(made, err == nil)
	}
	if !slices.Equal(made, []bool{true, false}) || len(who.asked) != 1 || !tool.Calls()[0].Scoped {
		t.Errorf("made %v, asked %d times, %+v", made, len(who.asked), tool.Calls())
	}
}

// TestWhatIsWrittenIsAskedAbout, where the start was: it is shown with what was started,
// a no leaves the work as it is, and a yes for the run is one for what is written.
func TestWhatIsWrittenIsAskedAbout(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answers string // once, run or no, a question each
		asks    bool
		made    int // of two writes
	}{
		"yes, yes, no":     {"once once no", true, 1},
		"for the run":      {"run", true, 2},
		"not for the run":  {"once run", true, 2},
		"nobody was asked": {"", false, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answers := strings.Fields(c.answers)
			who := &person{}
			who.answers = func(hostapi.Question) (hostapi.Answer, error) {
				if answers[len(who.asked)-1] == "no" {
					return hostapi.AnswerNo, nil
				}
				return hostapi.Answer(answers[len(who.asked)-1]), nil
			}
			tool := &endless{Func: hostapi.Func{ToolName: "work", Do: atOnce}}
			tool.start = func(hostapi.Call) (hostapi.Handle, hostapi.Result, error) { return newTask(), hostapi.Result{}, nil }
			policies := lists(rules(t, "work"))
			if c.asks {
				policies = append(policies, hostapi.Rules{Ask: rules(t, "work")})
			}
			g := gate(t, hostapi.GateConfig{Registry: registry(t, tool), Policies: policies, Approver: who})
			issued, err := g.Issue(t.Context(), hostapi.Call{Tool: "work", Args: json.RawMessage(`{"how":"python"}`), Background: true})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := issued.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			made := 0
			for _, written := range []string{`{"base64":"aW1wb3J0IG9zCg=="}`, `{"text":"x"}`} {
				switch r, err := g.Operate(t.Context(), 1, hostapi.OperationWrite, json.RawMessage(written)); {
				case err == nil && len(r.Data) > 0:
					made++
				case hostapi.CodeOf(err) != hostapi.CodeDenied:
					t.Errorf("%+v, %v", r, err)
				}
			}
			if _, err := g.Operate(t.Context(), 1, "echo", nil); err != nil {
				t.Error(err)
			}
			if made != c.made || len(who.asked) != len(answers) {
				t.Errorf("%d were made, asked %d times", made, len(who.asked))
			}
			if len(who.asked) > 1 {
				if q := who.asked[1]; q.Call.Operation != hostapi.OperationWrite || !strings.Contains(q.Preview, "this is written:\n> import os\n") || !strings.Contains(q.Preview, "python") {
					t.Errorf("%+v", q)
				}
			}
			if ops := g.Records()[0].Operations; c.made == 1 && (ops[1].Status != hostapi.StatusDenied || !strings.Contains(ops[1].Err, "said no")) {
				t.Errorf("%+v", ops)
			}
		})
	}
}

// reader is a tool that reads each call for its rules.
type reader struct {
	letters
	read int
}

func (r *reader) Touches(ctx context.Context, call hostapi.Call, rule hostapi.Rule) (bool, error) {
	call.Keep(func() any { r.read++; return nil })
	return r.letters.Touches(ctx, call, rule)
}

// TestCallIsReadOnce, however many rules there are.
func TestCallIsReadOnce(t *testing.T) {
	t.Parallel()
	tool := &reader{letters: letters{hosttest.Fake{ToolName: "t"}}}
	var many []hostapi.Rule
	for range 100 {
		many = append(many, hostapi.Rule{Tool: "t", Pattern: "z"})
	}
	g := gate(t, hostapi.GateConfig{Registry: registry(t, tool), Policies: []hostapi.Policy{hostapi.AllowList{{Tool: "t"}}, hostapi.Rules{Deny: many}, hostapi.Rules{Ask: many}}})
	for range 2 {
		if _, err := g.Invoke(t.Context(), hostapi.Call{Tool: "t", Args: json.RawMessage(`{"p":"a"}`)}); err != nil {
			t.Fatal(err)
		}
	}
	if tool.read != 2 {
		t.Errorf("2 calls were read %d times", tool.read)
	}
}
