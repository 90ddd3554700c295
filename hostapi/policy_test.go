package hostapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/hosttest"
)

// person answers questions, and remembers them.
type person struct {
	asked   []hostapi.Question
	answers func(hostapi.Question) (hostapi.Answer, error)
}

func (p *person) Approve(_ context.Context, q hostapi.Question) (hostapi.Answer, error) {
	p.asked = append(p.asked, q)
	return p.answers(q)
}

func always(answer hostapi.Answer) *person {
	return &person{answers: func(hostapi.Question) (hostapi.Answer, error) { return answer, nil }}
}

type policyFunc func(context.Context, hostapi.Call) (hostapi.Decision, error)

func (f policyFunc) Decide(ctx context.Context, call hostapi.Call) (hostapi.Decision, error) {
	return f(ctx, call)
}

// TestDenyBeatsAskBeatsAllow: whichever policy says it, and in whichever order
// they stand.
func TestDenyBeatsAskBeatsAllow(t *testing.T) {
	t.Parallel()
	say := func(d hostapi.Decision, err error) hostapi.Policy {
		return policyFunc(func(context.Context, hostapi.Call) (hostapi.Decision, error) { return d, err })
	}
	allow := say(hostapi.Decision{Verdict: hostapi.VerdictAllow}, nil)
	ask := say(hostapi.Decision{Verdict: hostapi.VerdictAsk, Reason: "sure?"}, nil)
	deny := say(hostapi.Decision{Reason: "never"}, nil)
	for name, c := range map[string]struct {
		policies []hostapi.Policy
		asked    int
		denied   string
	}{
		"none":                   {nil, 0, "no tool is"},
		"all allow":              {[]hostapi.Policy{allow, allow}, 0, ""},
		"one asks":               {[]hostapi.Policy{allow, ask, allow}, 1, ""},
		"two ask":                {[]hostapi.Policy{ask, ask}, 1, ""},
		"one denies, after":      {[]hostapi.Policy{allow, ask, deny}, 0, "never"},
		"one denies, before":     {[]hostapi.Policy{deny, allow, ask}, 0, "never"},
		"an error denies":        {[]hostapi.Policy{allow, say(hostapi.Decision{Verdict: hostapi.VerdictAllow}, errors.New("lost"))}, 0, "could not decide: lost"},
		"nonsense denies":        {[]hostapi.Policy{say(hostapi.Decision{Verdict: "perhaps"}, nil)}, 0, "a policy denies it"},
		"the zero Rules allow":   {[]hostapi.Policy{hostapi.AllowList(rules(t, "t")), hostapi.Rules{}}, 0, ""},
		"no list, no tool":       {[]hostapi.Policy{hostapi.AllowList{}, allow}, 0, "no tool is"},
		"Rules allow less":       {[]hostapi.Policy{allow, hostapi.Rules{Allow: rules(t, "other")}}, 0, "allowed: other"},
		"Rules ask":              {[]hostapi.Policy{allow, hostapi.Rules{Ask: rules(t, "t"), Allow: rules(t, "t")}}, 1, ""},
		"Rules ask, allow less":  {[]hostapi.Policy{allow, hostapi.Rules{Ask: rules(t, "t"), Allow: []hostapi.Rule{}}}, 0, "no tool is"},
		"Rules deny what is ask": {[]hostapi.Policy{allow, hostapi.Rules{Ask: rules(t, "t"), Deny: []hostapi.Rule{{Tool: "t", From: "config.toml:3:9"}}}}, 0, "t (config.toml:3:9)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			who, tool := always(hostapi.AnswerOnce), &hosttest.Fake{ToolName: "t"}
			g := gate(t, hostapi.GateConfig{Registry: registry(t, tool), Policies: c.policies, Approver: who})
			_, err := g.Invoke(t.Context(), hostapi.Call{Seq: 1, Tool: "t"})
			if c.denied == "" && err != nil || c.denied != "" && (!errors.Is(err, hostapi.ErrDenied) || !strings.Contains(err.Error(), c.denied)) {
				t.Errorf("%v, want %q", err, c.denied)
			}
			if len(who.asked) != c.asked || (len(tool.Calls()) == 1) != (c.denied == "") {
				t.Errorf("asked %d times, invoked %d times", len(who.asked), len(tool.Calls()))
			}
			row, want := g.Records()[0], hostapi.VerdictDeny
			switch {
			case c.asked > 0:
				want = hostapi.VerdictAsk
			case c.denied == "":
				want = hostapi.VerdictAllow
			}
			if row.Verdict != want {
				t.Errorf("the row says %q, not %q", row.Verdict, want)
			}
		})
	}
}

// TestPersonsAnswer: yes once makes one call, yes for the run makes all that the same
// rule asks about, and anything else makes none.
func TestPersonsAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		approver    hostapi.Approver
		asked, made int
		says        string
	}{
		"once":           {always(hostapi.AnswerOnce), 3, 3, ""},
		"for the run":    {always(hostapi.AnswerRun), 2, 3, ""}, // by two rules
		"no":             {always(hostapi.AnswerNo), 3, 0, "said no"},
		"nonsense":       {always("maybe"), 3, 0, "said no"},
		"an error":       {&person{answers: func(hostapi.Question) (hostapi.Answer, error) { return hostapi.AnswerOnce, errors.New("gone") }}, 3, 0, "gone"},
		"a panic":        {&person{answers: func(hostapi.Question) (hostapi.Answer, error) { panic("bang") }}, 3, 0, "bang"},
		"nobody is here": {nil, 0, 0, "nobody to ask"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool := &paths{hosttest.Fake{ToolName: "read"}}
			g := gate(t, hostapi.GateConfig{
				Registry: registry(t, tool), Approver: c.approver,
				Policies: []hostapi.Policy{hostapi.AllowList(rules(t, "read")), hostapi.Rules{Ask: rules(t, "read(a)", "read(b)")}},
			})
			for i, path := range []string{"a/1", "b/1", "a/2", "c"} {
				_, err := g.Invoke(t.Context(), hostapi.Call{Seq: i + 1, Tool: "read", Args: json.RawMessage(`{"path":"` + path + `"}`)})
				if path == "c" && err != nil || path != "c" && (err != nil) != (c.says != "") || path != "c" && c.says != "" && !strings.Contains(err.Error(), c.says) {
					t.Errorf("%s: %v", path, err)
				}
			}
			if n := len(tool.Calls()) - 1; n != c.made {
				t.Errorf("%d calls were made, want %d", n, c.made)
			}
			if who, ok := c.approver.(*person); ok && len(who.asked) != c.asked {
				t.Errorf("asked %d times, want %d", len(who.asked), c.asked)
			}
		})
	}
}

// TestWhatIsShownIsWhatRuns: the question has the plan, and the tool is given the
// same one.
func TestWhatIsShownIsWhatRuns(t *testing.T) {
	t.Parallel()
	who, tool := always(hostapi.AnswerOnce), &counting{paths: paths{hosttest.Fake{ToolName: "read"}}}
	held := 0
	g := gate(t, hostapi.GateConfig{
		Registry: registry(t, tool), Approver: who,
		Policies: []hostapi.Policy{hostapi.AllowList(rules(t, "read")), hostapi.Rules{Ask: rules(t, "read")}},
		Hold:     func() func() { held++; return func() { held += 10 } },
	})
	if _, err := g.Invoke(t.Context(), hostapi.Call{Seq: 1, Tool: "read", Site: "x.js:1:2", Args: json.RawMessage(`{"path":"a"}`)}); err != nil {
		t.Fatal(err)
	}
	q, made := who.asked[0], tool.Calls()[0]
	if q.Call.Plan == nil || made.Plan == nil || tool.plans != 1 || q.Call.Site != "x.js:1:2" || q.Rules[0].String() != "read" || !strings.Contains(q.Preview, `"a"`) {
		t.Errorf("%+v, %+v, planned %d times", q, made, tool.plans)
	}
	if made.Scoped || held != 11 {
		t.Errorf("scoped %v, held %d", made.Scoped, held)
	}
}

// TestWhatChangedMeanwhileIsNotMade: a call that would do something else when the answer
// comes than when the question was shown is not made.
func TestWhatChangedMeanwhileIsNotMade(t *testing.T) {
	t.Parallel()
	tool := &changing{Fake: hosttest.Fake{ToolName: "t"}}
	for _, changes := range []bool{false, true} {
		tool.changes = changes
		g := gate(t, hostapi.GateConfig{
			Registry: registry(t, tool), Approver: always(hostapi.AnswerOnce),
			Policies: []hostapi.Policy{hostapi.AllowList(rules(t, "t")), hostapi.Rules{Ask: rules(t, "t")}},
		})
		_, err := g.Invoke(t.Context(), hostapi.Call{Seq: 1, Tool: "t"})
		if changes != (err != nil) || changes && (!errors.Is(err, hostapi.ErrDenied) || !strings.Contains(err.Error(), "has changed while")) {
			t.Error(changes, err)
		}
	}
}

// changing would do something else each time that it is asked.
type changing struct {
	hosttest.Fake
	changes bool
	shown   int
}

func (c *changing) Preview(context.Context, hostapi.Call) (string, error) {
	if c.changes {
		c.shown++
	}
	return fmt.Sprint("version ", c.shown), nil
}

// telling says much about what it would do.
type telling struct {
	hosttest.Fake
	text string
}

func (t *telling) Preview(context.Context, hostapi.Call) (string, error) { return t.text, nil }

// TestWhatIsNotShownIsSaid, of what a call would do and of a script's own words.
func TestWhatIsNotShownIsSaid(t *testing.T) {
	t.Parallel()
	who, long := always(hostapi.AnswerOnce), strings.Repeat("x", 2_000_000)
	g := gate(t, hostapi.GateConfig{
		Registry: registry(t, &telling{Fake: hosttest.Fake{ToolName: "t"}, text: long}), Approver: who,
		Policies: []hostapi.Policy{hostapi.AllowList(rules(t, "t", hostapi.ToolApprove)), hostapi.Rules{Ask: rules(t, "t")}},
	})
	for i, call := range []hostapi.Call{
		{Tool: hostapi.ToolApprove, Args: json.RawMessage(`{"question":"` + long + `"}`)}, {Tool: "t", Args: json.RawMessage("{}")},
	} {
		call.Seq = i + 1
		if _, err := g.Invoke(t.Context(), call); err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range []string{who.asked[0].Text, who.asked[1].Preview} {
		if len(text) > 1_100_000 || !strings.HasPrefix(text, "THIS IS NOT ALL OF IT: 1048576 bytes of 20000") {
			t.Errorf("%d bytes: %.60s", len(text), text)
		}
	}
}

// TestRefusedCallsAreDenied on the ledger, also where the arguments are why.
func TestRefusedCallsAreDenied(t *testing.T) {
	t.Parallel()
	tool := &paths{hosttest.Fake{ToolName: "read"}}
	g := gate(t, hostapi.GateConfig{Registry: registry(t, tool), Policies: lists(rules(t, "read(a)"))})
	for i, args := range []string{`{"path":"b"}`, `[]`} {
		if _, err := g.Invoke(t.Context(), hostapi.Call{Seq: i + 1, Tool: "read", Args: json.RawMessage(args)}); err == nil {
			t.Error(args, "was made")
		}
		if row := g.Records()[i]; row.Verdict != hostapi.VerdictDeny {
			t.Errorf("%s: %q", args, row.Verdict)
		}
	}
}

// TestScriptsOwnQuestion needs no rule, counts as a call, and is answered with yes or
// a refusal.
func TestScriptsOwnQuestion(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args   string
		answer hostapi.Answer
		code   hostapi.Code
	}{
		"yes":         {`{"question":"deploy?","details":{"to":"prod"}}`, hostapi.AnswerOnce, ""},
		"no":          {`{"question":"deploy?"}`, hostapi.AnswerNo, hostapi.CodeDenied},
		"no question": {`{}`, hostapi.AnswerOnce, hostapi.CodeInvalidArgs},
		"not text":    {`{"question":5}`, hostapi.AnswerOnce, hostapi.CodeInvalidArgs},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			who := always(c.answer)
			g := gate(t, hostapi.GateConfig{Approver: who})
			result, err := g.Invoke(t.Context(), hostapi.Call{Seq: 1, Tool: hostapi.ToolApprove, Args: json.RawMessage(c.args)})
			switch {
			case c.code != "":
				if err == nil || hostapi.CodeOf(err) != c.code {
					t.Errorf("%v, want %s", err, c.code)
				}
			case err != nil || string(result.Data) != "true":
				t.Errorf("%+v, %v", result, err)
			default:
				if q := who.asked[0]; q.Text != "deploy?" || !strings.Contains(q.Preview, "prod") {
					t.Errorf("%+v", q)
				}
			}
			if calls, _ := g.Used(); calls != 1 {
				t.Errorf("%d calls are counted", calls)
			}
		})
	}
}

// TestAskedInOrder: two calls at once are asked about one after the other, as the
// script made them, and a call between them that needs no answer waits its turn.
func TestAskedInOrder(t *testing.T) {
	t.Parallel()
	asked, answer := make(chan int), make(chan hostapi.Answer)
	who := &person{answers: func(q hostapi.Question) (hostapi.Answer, error) {
		asked <- q.Call.Seq
		return <-answer, nil
	}}
	g := gate(t, hostapi.GateConfig{
		Registry: registry(t, &hosttest.Fake{ToolName: "t"}, &hosttest.Fake{ToolName: "free"}), Approver: who,
		Policies: []hostapi.Policy{hostapi.AllowList(rules(t, "t", "free")), hostapi.Rules{Ask: rules(t, "t")}},
	})
	decided := make(chan error, 3)
	for i, tool := range []string{"t", "free", "t"} {
		call, _ := g.Ask(hostapi.Call{Seq: i + 1, Tool: tool})
		go func() {
			_, err := call.Decide(t.Context())
			decided <- err
		}()
	}
	for _, seq := range []int{1, 3} {
		if got := <-asked; got != seq || len(decided) != seq-1 {
			t.Errorf("call %d is asked about, not %d, and %d are decided", got, seq, len(decided))
		}
		answer <- hostapi.AnswerOnce
	}
	for range 3 {
		if err := <-decided; err != nil {
			t.Error(err)
		}
	}
}

// TestEndOfARunEndsItsQuestion, and the call is cancelled, not denied.
func TestEndOfARunEndsItsQuestion(t *testing.T) {
	t.Parallel()
	asking := make(chan struct{})
	g := hostapi.NewGate(t.Context(), hostapi.GateConfig{
		Registry: registry(t, &hosttest.Fake{ToolName: "t"}),
		Policies: []hostapi.Policy{hostapi.AllowList(rules(t, "t")), hostapi.Rules{Ask: rules(t, "t")}},
		Approver: approverFunc(func(ctx context.Context, _ hostapi.Question) (hostapi.Answer, error) {
			close(asking)
			<-ctx.Done()
			return hostapi.AnswerOnce, nil // it comes too late
		}),
	})
	done := make(chan error)
	go func() {
		_, err := g.Invoke(t.Context(), hostapi.Call{Seq: 1, Tool: "t", Background: false})
		done <- err
	}()
	<-asking
	g.Close(time.Minute)
	if err := <-done; hostapi.CodeOf(err) != hostapi.CodeCancelled {
		t.Error(err)
	}
	if row := g.Records()[0]; row.Status != hostapi.StatusCancelled {
		t.Errorf("%+v", row)
	}
}

type approverFunc func(context.Context, hostapi.Question) (hostapi.Answer, error)

func (f approverFunc) Approve(ctx context.Context, q hostapi.Question) (hostapi.Answer, error) {
	return f(ctx, q)
}

// TestDecoratedToolLosesNothing: the kit's recorder, twice around a tool, has its
// patterns, checks, grants and handles.
func TestDecoratedToolLosesNothing(t *testing.T) {
	t.Parallel()
	inner := &paths{hosttest.Fake{ToolName: "read"}}
	recorder := &hosttest.Recorder{Tool: &hosttest.Recorder{Tool: inner}}
	if _, ok := hostapi.As[hostapi.Scoper](recorder); !ok {
		t.Error("it takes no pattern")
	}
	if starter, ok := hostapi.As[hostapi.Starter](recorder); !ok {
		t.Error("it starts nothing")
	} else if handle, result, err := starter.Start(t.Context(), hostapi.Call{}); handle != nil || err != nil || result.Outcome != hostapi.OutcomeFailed {
		t.Errorf("it starts what the tool does not: %v, %+v, %v", handle, result, err)
	}
	r := registry(t, recorder)
	if !r.Grants("special") {
		t.Error("its grants are lost")
	}
	g := gate(t, hostapi.GateConfig{Registry: r, Policies: lists(rules(t, "read(a)"))})
	for path, ok := range map[string]bool{"a/1": true, "b": false} {
		if _, err := g.Invoke(t.Context(), hostapi.Call{Tool: "read", Args: json.RawMessage(`{"path":"` + path + `"}`)}); (err == nil) != ok {
			t.Errorf("%s: %v", path, err)
		}
	}
	if n := len(recorder.Recorded()); n != 1 || len(inner.Calls()) != 1 {
		t.Errorf("%d are recorded", n)
	}
}
