package hostapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Policy has a say in which calls are made. It must be safe for concurrent use.
//
// A [Gate] asks every one of its policies about a call: one that denies wins over
// one that asks, and that over those that allow.
type Policy interface {
	// Decide decides a call before its tool is invoked. It may take its time, until
	// ctx ends: the calls that were asked for later wait for it. [Call.Resolve]
	// tells what a call comes to. An error denies the call, and so does a panic.
	Decide(ctx context.Context, call Call) (Decision, error)
}

// Decision is what a [Policy] says of a call. The zero value denies it.
type Decision struct {
	Verdict Verdict
	// Rule is what decided; the zero Rule if it was none.
	Rule Rule
	// Asking are all rules that have somebody asked, Rule the first of them; empty is
	// Rule alone.
	Asking []Rule
	// Once is set where a yes is for this call alone: it cannot be told whether the
	// call is what a rule is about.
	Once bool
	// Reason says why a call is denied, or why somebody is asked: a sentence for
	// the author of the script. Empty is a sentence made of Rule.
	Reason string

	granted Rule // by an allow-list, of a call that is asked about
}

// AllowList is the [Policy] that allows what one of its rules grants and denies
// everything else. The zero value denies every call.
type AllowList []Rule

// Decide implements [Policy]. Outside of a [Gate] rules with a pattern grant
// nothing.
func (l AllowList) Decide(ctx context.Context, call Call) (Decision, error) {
	rule, err := grant(ctx, call, l)
	if err != nil {
		return Decision{Reason: err.Error()}, nil
	}
	return Decision{Verdict: VerdictAllow, Rule: rule}, nil
}

// List is every rule; see [Registry.CheckRule].
func (l AllowList) List() []Rule { return l }

// Rules is the [Policy] of an operator: what it denies and asks about, whatever
// the tool file allows. A rule with a pattern denies, or asks about, every call
// that may do what the pattern names, and a call of which that cannot be told:
// see [Toucher]. The zero value allows every call.
type Rules struct {
	Deny, Ask []Rule
	// Allow, unless it is nil, allows nothing but what it grants: what Ask asks about
	// must be in it, too.
	Allow []Rule
}

// Decide implements [Policy]. Every rule that asks about the call is named.
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
		Reason: because(call, "has a person asked about", asking, why),
	}, nil
}

// because says which rules of the operator decide, and why it is not told for certain
// that they are about the call.
func because(call Call, does string, rules []Rule, unclear string) string {
	reason := fmt.Sprintf("tool %q: the operator %s %s", call.Tool, does, list(rules))
	if unclear != "" {
		reason += ", and it cannot be ruled out that this call is one: " + unclear
	}
	return reason
}

// List is every rule; see [Registry.CheckRule].
func (r Rules) List() []Rule { return slices.Concat(r.Deny, r.Ask, r.Allow) }

// Toucher is implemented by tools that know better than their subjects what a
// rule that denies or asks is about. Where a rule that grants must cover all of a
// call, one that denies must not miss what may be part of it.
type Toucher interface {
	// Concerns reports whether a rule can be about calls of the tool at all. It may be
	// one of another tool: what edits a file also writes it.
	Concerns(rule Rule) bool
	// Touches reports whether a call may do what a rule names that concerns the tool.
	// The pattern passed CheckPattern of the rule's tool, if there is that tool. Where
	// it cannot be told, the error is an *[OpaqueError].
	Touches(ctx context.Context, call Call, rule Rule) (bool, error)
}

// touches reports whether a rule that denies or asks is about a call. unclear says
// why, where it is because that cannot be told.
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

// mayMatch is for a tool that is no [Toucher].
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

// judge is what all policies say of a call. scoped is set where a rule with a
// pattern granted it.
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
				judged = d // the tool file's rule, which is the first
			}
		}
	}
	return judged, scoped
}

// askedToo adds what one more policy asks about.
func (d Decision) askedToo(more Decision) Decision {
	if len(more.Asking) == 0 && more.Rule.Tool != "" {
		more.Asking = []Rule{more.Rule}
	}
	more.Once = more.Once || len(more.Asking) == 0 // there is nothing to remember a yes by
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
