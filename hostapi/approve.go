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

// ToolApprove is the name under which a script's own question to a person is
// asked; no tool has it. Its arguments are {"question": text, "details": any}.
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
			fmt.Fprintf(&b, "%d rules more have it asked.\n", len(q.Rules)-i)
			break
		}
		name := rule.String()
		if cut := clip.Head(name, 160); cut != name {
			name = cut + "..."
		}
		fmt.Fprintf(&b, "%s (%s) has it asked.\n", name, rule.From)
	}
	return b.String()
}

// Answer is what somebody said. The zero value is no.
type Answer string

// The answers.
const (
	AnswerNo   Answer = ""
	AnswerOnce Answer = "once" // this call
	AnswerRun  Answer = "run"  // this call, and all of this run that these rules ask about, and no others
)

// Previewer is implemented by tools that can show a person what a call would
// do, better than its arguments do. It is asked again when the answer is yes: a call
// that would do something else by then is not made. Nothing is changed by it.
type Previewer interface {
	Preview(ctx context.Context, call Call) (string, error)
}

// NobodyError is why a call is denied that somebody should have been asked about.
type NobodyError struct{ Rule Rule }

// Error implements error.
func (e *NobodyError) Error() string {
	why := "it asks a person first"
	if e.Rule.Tool != "" {
		why = "a person is asked first, by " + list([]Rule{e.Rule})
	}
	return why + ", and there is nobody to ask: run it on a terminal (stdin and stderr both), or from a client that can ask (MCP elicitation), or have the operator allow it"
}

// approvals are what somebody has said yes to for all of a run.
type approvals struct {
	mu    sync.Mutex // held while somebody is asked: one at a time
	rules map[Rule]bool
}

// approve asks about a call, showing what it would do. The error says why it is not
// made.
func (g *Gate) approve(ctx context.Context, call Call, d Decision, show func() string) error {
	g.approvals.mu.Lock()
	defer g.approvals.mu.Unlock()
	once := d.Once || len(d.Asking) == 0 || len(d.Asking) > maxNamed
	if !once && !slices.ContainsFunc(d.Asking, func(r Rule) bool { return !g.approvals.rules[r] }) {
		return nil
	}
	if g.config.Approver == nil {
		return &DeniedError{Call: call, Reason: fmt.Sprintf("tool %q is not allowed: %v", call.Tool, &NobodyError{Rule: d.Rule})}
	}
	before := show() // by the tool, which the run's clock bounds
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	question := Question{Call: call, Rules: d.Asking, Once: once, Text: clip.Warned(d.Reason, maxShown), Preview: clip.Warned(before, maxShown)}
	answer, err := g.asks(ctx, question)
	yes := err == nil && (answer == AnswerOnce || answer == AnswerRun)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case yes && show() != before:
		return &DeniedError{Call: call, Reason: fmt.Sprintf("tool %q is not allowed: what the call would do has changed while a person was asked; call again", call.Tool)}
	case err != nil:
		return &DeniedError{Call: call, Reason: fmt.Sprintf("tool %q is not allowed: nobody could be asked: %v", call.Tool, err)}
	case answer == AnswerRun && !once:
		if g.approvals.rules == nil {
			g.approvals.rules = map[Rule]bool{}
		}
		for _, rule := range d.Asking {
			g.approvals.rules[rule] = true
		}
	case answer != AnswerOnce && answer != AnswerRun:
		return &DeniedError{Call: call, Reason: fmt.Sprintf("tool %q is not allowed: a person was asked and said no", call.Tool)}
	}
	return nil
}

// asks has the approver ask, while the run's clock is held.
func (g *Gate) asks(ctx context.Context, question Question) (answer Answer, err error) {
	if g.config.Hold != nil {
		defer g.config.Hold()()
	}
	defer func() {
		if p := recover(); p != nil {
			answer, err = AnswerNo, fmt.Errorf("the approver panicked; this is a bug of it: %v", p)
		}
	}()
	return g.config.Approver.Approve(ctx, question)
}

// maxNamed is how many rules a person can be expected to have read. Of more a yes is for
// the call alone.
const maxNamed = 5

// maxShown is how much a person is shown of a text, in bytes.
const maxShown = 1 << 20

// preview is what a call would do, all of it.
func preview(ctx context.Context, tool guarded, call Call) func() string {
	return func() string {
		text, ok, err := tool.preview(ctx, call)
		switch {
		case err != nil:
			return fmt.Sprintf("%s\n(the tool could not show what it would do: %v)", call.Args, err)
		case !ok:
			return string(call.Args)
		}
		return text
	}
}

// approveWrite asks about what is written to work that a person was asked about: it may
// be all that the work does.
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
	switch err := json.Unmarshal(args, &given); {
	case err != nil || given.Text == "" && given.Base64 == nil:
		return string(args)
	case given.Base64 == nil:
		return given.Text
	case utf8.Valid(given.Base64):
		return string(given.Base64)
	}
	return fmt.Sprintf("bytes %q", given.Base64)
}

// decideQuestion is for what a script asks by itself. It needs no rule: all that it
// gets is an answer.
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
		return answers, Decision{Verdict: VerdictAsk}, &ArgumentError{Call: call, Err: errors.New(`expected a question, as in ctx.approve("deploy to production?", {version})`)}
	default:
		return answers, Decision{Verdict: VerdictAsk, Reason: args.Question}, nil
	}
}
