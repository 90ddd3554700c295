package hostapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/scriptrun/scriptrun/hostapi/clip"
)

// ToolApprove is the name under which a script asks a person a question. No tool
// has this name. The arguments are {"question": text, "details": any}.
const ToolApprove = "approve"

// Approver asks somebody about a call that a policy does not decide alone. It
// is asked one question of a run at a time, in the order of the script's calls.
type Approver interface {
	// Approve returns the answer; the zero one is no, and so is an error or a panic.
	// It returns soon after ctx ends. The run's time does not pass meanwhile.
	Approve(ctx context.Context, question Question) (Answer, error)
}

// Question is what somebody is asked.
type Question struct {
	// Call is what waits, as it was resolved.
	Call Call
	// Rules are what has it asked, of all policies; none if an embedder's policy or
	// the script itself does.
	Rules []Rule
	// Once is set where [AnswerRun] is no more than [AnswerOnce]: what has it asked is
	// no rule, or it cannot be told whether the call is what a rule is about.
	Once bool
	// Text is why, in a sentence, or the script's own words.
	Text string
	// Preview is what the call would do, in lines for a person; see [Previewer].
	//
	// Both have at most about 1 MiB, and say so first where that is not all. They may
	// hold whatever a script wrote: who shows them takes controls out.
	Preview string
}

// Because names the rules, a line each, cut so that they do not hide the call: it ends
// in a newline unless it is empty.
func (q Question) Because() string {
	var b strings.Builder
	for i, rule := range q.Rules {
		if i == maxNamed {
			fmt.Fprintf(&b, "Asked because of %d more rules.\n", len(q.Rules)-i)
			break
		}
		name := rule.String()
		if cut := clip.Head(name, 160); cut != name {
			name = cut + "..."
		}
		fmt.Fprintf(&b, "Asked because of %s (%s).\n", name, rule.From)
	}
	return b.String()
}

// Answer is what a person said. The zero value is no.
type Answer string

// The answers.
const (
	AnswerNo   Answer = ""
	AnswerOnce Answer = "once" // this call
	AnswerRun  Answer = "run"  // this call, and whatever else only these rules ask about in this run
)

// Previewer is implemented by tools that can show a person what a call would do,
// better than its arguments can. Preview changes nothing. It is called again after a
// yes: if it then shows something else, the call is not made.
type Previewer interface {
	Preview(ctx context.Context, call Call) (string, error)
}

// nobody is why a call is denied when there is no [Approver].
func nobody(rule Rule) string {
	why := "it asks a person first"
	if rule.Tool != "" {
		why = "a person is asked first, by " + list([]Rule{rule})
	}
	return why + ", and there is nobody to ask: run it on a terminal (stdin and stderr both), or from a client that can ask (MCP elicitation), or have the operator allow it"
}

// approvals are the rules that a person has answered for the whole run.
type approvals struct {
	mu    sync.Mutex // held while a person is asked: one question at a time
	rules map[Rule]bool
}

// approve asks a person about a call and shows what it would do. The error says why
// the call is not made.
func (g *Gate) approve(ctx context.Context, call Call, d Decision, show func() string) error {
	g.approvals.mu.Lock()
	defer g.approvals.mu.Unlock()
	once := d.Once || len(d.Asking) == 0 || len(d.Asking) > maxNamed
	if !once && !slices.ContainsFunc(d.Asking, func(r Rule) bool { return !g.approvals.rules[r] }) {
		return nil
	}
	denied := func(why string) error {
		return &DeniedError{Reason: fmt.Sprintf("tool %q is not allowed: %s", call.Tool, why)}
	}
	if g.config.Approver == nil {
		return denied(nobody(d.Rule))
	}
	before := show() // the tool does this, so the clock runs
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	question := Question{Call: call, Rules: d.Asking, Once: once, Text: clip.Warned(d.Reason, maxShown), Preview: clip.Warned(before, maxShown)}
	answer, err := g.asks(ctx, question)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return denied(fmt.Sprintf("nobody could be asked: %v", err))
	case answer != AnswerOnce && answer != AnswerRun:
		return denied("a person was asked and said no")
	case show() != before:
		return denied("what the call would do has changed while a person was asked; call again")
	case answer == AnswerRun && !once:
		if g.approvals.rules == nil {
			g.approvals.rules = map[Rule]bool{}
		}
		for _, rule := range d.Asking {
			g.approvals.rules[rule] = true
		}
	}
	return nil
}

// asks calls the approver, with the run's clock stopped.
func (g *Gate) asks(ctx context.Context, question Question) (answer Answer, err error) {
	if g.config.Hold != nil {
		defer g.config.Hold()()
	}
	defer func() {
		if p := recover(); p != nil {
			answer, err = AnswerNo, fmt.Errorf("the approver panicked; this is a bug in it: %v", p)
		}
	}()
	return g.config.Approver.Approve(ctx, question)
}

// maxNamed is how many rules a person is expected to read. If there are more, a yes is
// for this call only.
const maxNamed = 5

// maxShown is how many bytes of a text a person is shown.
const maxShown = 1 << 20

// preview tells what a call would do, uncut.
func preview(ctx context.Context, tool guarded, call Call) func() string {
	return func() string {
		text, ok, err := tool.preview(ctx, call)
		switch {
		case err != nil:
			return fmt.Sprintf("%s\n(the tool could not show what it would do: %v)", call.Args, err)
		case !ok && tool.name == ToolApprove: // the question stands above
			var args struct{ Details json.RawMessage }
			_ = json.Unmarshal(call.Args, &args) // it has been read before
			return string(args.Details)
		case !ok:
			return string(call.Args)
		}
		return text
	}
}

// approveWrite asks about input for work that a person was asked about: the input may
// be what matters, as for a shell.
func (g *Gate) approveWrite(ctx context.Context, s *started, call Call) error {
	if call.Operation != OperationWrite || s.call.Decision.Verdict != VerdictAsk {
		return nil
	}
	written := strings.ReplaceAll(typed(call.Args), "\n", "\n> ") // so that none of it looks like what stands above
	text := fmt.Sprintf("to what was started with\n%s\nthis is written:\n> %s", preview(ctx, s.tool, s.call)(), written)
	return g.approve(ctx, call, s.call.Decision, func() string { return text })
}

// typed is what the arguments of [OperationWrite] write, as a person can read it.
func typed(args json.RawMessage) string {
	var given struct {
		Text   string `json:"text"`
		Base64 []byte `json:"base64"`
	}
	var keys map[string]json.RawMessage
	switch err := errors.Join(json.Unmarshal(args, &given), json.Unmarshal(args, &keys)); {
	case err != nil || len(keys) != 1 || given.Text == "" && given.Base64 == nil: // there is more to be seen
		return string(args)
	case given.Base64 == nil:
		return given.Text
	case utf8.Valid(given.Base64):
		return string(given.Base64)
	}
	return fmt.Sprintf("bytes %q", given.Base64)
}

// decideQuestion decides on a question of the script's own. It needs no rule: an
// answer is all that it gets.
func (g *Gate) decideQuestion(call Call) (guarded, Decision, error) {
	answers := guarded{name: ToolApprove, tool: &Func{ToolName: ToolApprove, Do: func(context.Context, Call) (Result, error) {
		return Succeed("yes").WithData(true), nil
	}}}
	var args struct {
		Question string          `json:"question"`
		Details  json.RawMessage `json:"details"`
	}
	switch err := json.Unmarshal(call.Args, &args); {
	case call.TooLarge > 0 || err != nil || args.Question == "" || call.Background:
		return answers, Decision{Verdict: VerdictAsk}, &ArgumentError{Tool: call.Tool, Err: errors.New(`expected a question, as in ctx.approve("deploy to production?", {version})`)}
	default:
		return answers, Decision{Verdict: VerdictAsk, Reason: args.Question}, nil
	}
}
