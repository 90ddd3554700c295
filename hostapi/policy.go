package hostapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Policy decides which calls are made. It must be safe for concurrent use.
//
// A [Gate] asks every one of its policies about a call: denying wins over asking, and
// asking over allowing.
type Policy interface {
	// Decide decides a call before its tool is invoked. It may take its time until ctx
	// ends; later calls of the script wait for it. [Call.Resolve] says what a call
	// would do. An error or a panic denies the call.
	Decide(ctx context.Context, call Call) (Decision, error)
}

// Decision is what a [Policy] decides about a call. The zero value denies it.
type Decision struct {
	Verdict Verdict
	// Rule is the rule that decided; the zero Rule if none did.
	Rule Rule
	// Asking are all rules that ask a person, Rule the first of them; empty means Rule
	// alone.
	Asking []Rule
	// Once says that a yes is for this call alone, because it is not certain that a
	// rule applies to the call.
	Once bool
	// Reason says why a call is denied or asked about, in a sentence for the author of
	// the script. If it is empty, Rule makes the sentence.
	Reason string

	granted Rule // of an allow-list, for a call that is asked about
}

// AllowList is the [Policy] that allows the calls that its rules grant, and denies all
// others. The zero value denies every call.
type AllowList []Rule

// Decide implements [Policy]. Outside of a [Gate], rules with a pattern grant nothing.
func (l AllowList) Decide(ctx context.Context, call Call) (Decision, error) {
	rule, err := grant(ctx, call, l)
	if err != nil {
		return Decision{Reason: err.Error()}, nil
	}
	return Decision{Verdict: VerdictAllow, Rule: rule}, nil
}

// List returns every rule; see [Registry.CheckRule].
func (l AllowList) List() []Rule { return l }

// Rules is the [Policy] of an operator: the calls to deny and to ask about, whatever
// the tool file allows. A rule with a pattern applies to every call that may do what
// the pattern names, also if that is uncertain: see [Toucher]. The zero value allows
// every call.
type Rules struct {
	Deny, Ask []Rule
	// Allow, unless it is nil, denies every call that it does not grant, calls of Ask
	// too.
	Allow []Rule
}

// Decide implements [Policy]. The decision names every rule that asks about the call.
func (r Rules) Decide(ctx context.Context, call Call) (Decision, error) {
	for _, rule := range r.Deny {
		touched, unclear, err := touches(ctx, call, rule)
		if err != nil {
			return Decision{}, err
		}
		if touched {
			return Decision{Verdict: VerdictDeny, Rule: rule, Reason: because(call, "denies", []Rule{rule}, unclear)}, nil
		}
	}
	d := Decision{Verdict: VerdictAllow}
	if r.Allow != nil {
		if d, _ = AllowList(r.Allow).Decide(ctx, call); d.Verdict != VerdictAllow {
			return d, nil
		}
	}
	var asking []Rule
	why := ""
	for _, rule := range r.Ask {
		touched, unclear, err := touches(ctx, call, rule)
		if err != nil {
			return Decision{}, err
		}
		if touched {
			asking, why = append(asking, rule), cmp.Or(why, unclear)
		}
	}
	if len(asking) == 0 {
		return d, nil
	}
	return Decision{
		Verdict: VerdictAsk, Rule: asking[0], Asking: asking, Once: why != "", granted: d.Rule,
		Reason: because(call, "asks a person about", asking, why),
	}, nil
}

// because says which rules of the operator decide and, if it is uncertain that they
// apply to the call, why.
func because(call Call, does string, rules []Rule, unclear string) string {
	reason := fmt.Sprintf("tool %q: the operator %s %s", call.Tool, does, list(rules))
	if unclear != "" {
		reason += ", and it cannot be ruled out that this call is one: " + unclear
	}
	return reason
}

// List returns every rule; see [Registry.CheckRule].
func (r Rules) List() []Rule { return slices.Concat(r.Deny, r.Ask, r.Allow) }

// Toucher is implemented by tools that know better than their subjects which calls a
// denying or asking rule applies to. A granting rule must cover the whole of a call; a
// denying one must not miss a part of it.
type Toucher interface {
	// Concerns reports whether a rule can apply to calls of the tool at all. The rule
	// may be another tool's: a tool that edits a file also writes it.
	Concerns(rule Rule) bool
	// Touches reports whether a call may do what a rule names that concerns the tool.
	// The pattern has passed CheckPattern of the rule's tool, if that tool exists. If
	// Touches cannot tell, the error is an *[OpaqueError].
	Touches(ctx context.Context, call Call, rule Rule) (bool, error)
}

// touches reports whether a denying or asking rule applies to a call. unclear is the
// reason if that is uncertain.
func touches(ctx context.Context, call Call, rule Rule) (touched bool, unclear string, err error) {
	var tool guarded
	if call.resolution != nil {
		tool = call.resolution.tool
	}
	further, err := tool.grantedBy(call.Args)
	if err != nil {
		return false, "", err
	}
	same := rule.Tool == call.Tool
	if rule.Pattern == "" && same || slices.Contains(further, rule.Tool) {
		return true, "", nil
	}
	concerned, err := tool.concerns(rule)
	switch _, ok := power[Toucher](tool); {
	case err != nil || !concerned:
		return false, "", err
	case ok:
		touched, err = tool.touches(ctx, call, rule)
	default:
		touched, err = tool.mayMatch(ctx, call, rule.Pattern)
	}
	var opaque *OpaqueError
	switch {
	case ctx.Err() != nil:
		return false, "", context.Cause(ctx)
	case errors.As(err, &opaque):
		return true, opaque.Reason, nil
	}
	return touched, "", err
}

// mayMatch is touches for a tool that is no [Toucher].
func (g guarded) mayMatch(ctx context.Context, call Call, pattern string) (bool, error) {
	plan, err := call.Resolve(ctx)
	if err != nil {
		return true, err
	}
	var subjects []Subject
	if plan != nil {
		if subjects, err = g.subjects(plan); err != nil {
			return true, err
		}
	}
	if len(subjects) == 0 {
		return true, &OpaqueError{Reason: "it names nothing to match"}
	}
	for _, subject := range subjects {
		match, err := g.matches(subject, pattern)
		if err != nil || match {
			return true, err
		}
		if why, err := g.objection(subject, pattern); err != nil || why != "" {
			return true, err
		}
	}
	return false, nil
}

// judge combines the decisions of all policies. scoped is set if a rule with a pattern
// granted the call.
func (g *Gate) judge(ctx context.Context, call Call) (judged Decision, scoped bool) {
	if len(g.config.Policies) == 0 {
		return Decision{Verdict: VerdictDeny, Reason: notListed(call.Tool, nil)}, false
	}
	judged.Verdict = VerdictAllow
	for _, policy := range g.config.Policies {
		d, err := decideCaught(ctx, policy, call)
		switch {
		case err != nil:
			return Decision{Verdict: VerdictDeny, Reason: fmt.Sprintf("tool %q is not allowed: a policy could not decide: %v", call.Tool, err)}, false
		case d.Verdict == VerdictAsk:
			scoped = scoped || d.granted.Pattern != ""
			judged = judged.askedToo(d)
		case d.Verdict != VerdictAllow:
			return Decision{Verdict: VerdictDeny, Rule: d.Rule, Reason: d.reason(call)}, false
		default:
			scoped = scoped || d.Rule.Pattern != ""
			if judged.Verdict == VerdictAllow && judged.Rule.Tool == "" {
				judged = d // the tool file's rule comes first
			}
		}
	}
	return judged, scoped
}

// askedToo adds the rules by which one more policy asks.
func (d Decision) askedToo(more Decision) Decision {
	if len(more.Asking) == 0 && more.Rule.Tool != "" {
		more.Asking = []Rule{more.Rule}
	}
	more.Once = more.Once || len(more.Asking) == 0 // no rule to remember a yes by
	if d.Verdict != VerdictAsk {
		return more
	}
	d.Rule = cmp.Or(d.Rule, more.Rule)
	d.Asking, d.Once = slices.Concat(d.Asking, more.Asking), d.Once || more.Once
	d.Reason = strings.Trim(d.Reason+"\n"+more.Reason, "\n")
	return d
}

// reason says why a call is denied or asked about.
func (d Decision) reason(call Call) string {
	switch {
	case d.Reason != "":
		return d.Reason
	case d.Rule.Tool == "":
		return fmt.Sprintf("tool %q is not allowed: a policy denies it", call.Tool)
	}
	return fmt.Sprintf("tool %q is not allowed: a policy denies %s", call.Tool, list([]Rule{d.Rule}))
}

var errPolicyPanicked = errors.New("it panicked; this is a bug of the policy")

func decideCaught(ctx context.Context, policy Policy, call Call) (d Decision, err error) {
	defer func() {
		if p := recover(); p != nil {
			d, err = Decision{}, fmt.Errorf("%w: %v", errPolicyPanicked, p)
		}
	}()
	return policy.Decide(ctx, call)
}
