package hostapi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// decision decides one call against several lists of rules. The call is
// planned when the first rule with a pattern asks for it, and never again.
type decision struct {
	tool guarded
	call Call
	plan Plan // nil until a rule with a pattern asked
}

// grant decides the call against one list. A nil error grants it; an
// *[OpaqueError] or any other error of the tool is folded into the refusal.
func (d *decision) grant(ctx context.Context, rules []Rule) (string, error) {
	name := d.call.Tool
	further, err := d.tool.grantedBy(d.call.Args)
	if err != nil {
		return "", err
	}
	names := append([]string{name}, further...)
	var scoped []Rule
	for _, rule := range rules {
		if !slices.Contains(names, rule.Tool) {
			continue
		}
		if rule.Pattern == "" {
			return rule.String(), nil
		}
		if rule.Tool == name {
			scoped = append(scoped, rule)
		}
	}
	if len(scoped) == 0 {
		return "", errors.New(notListed(name, rules))
	}
	subjects, err := d.subjects(ctx)
	var opaque *OpaqueError
	switch {
	case errors.Is(err, errNoPattern):
		return "", fmt.Errorf("tool %q takes no pattern, so %s grants nothing", name, scoped[0])
	case errors.As(err, &opaque):
		return "", fmt.Errorf("tool %q is allowed only as %s, and this call is not plain enough to tell: %s; "+
			"write it plainly, or allow %s without a pattern", name, list(scoped), opaque.Reason, name)
	case err != nil:
		return "", err
	case len(subjects) == 0:
		return "", fmt.Errorf("tool %q is allowed only as %s, and this call names nothing to match", name, list(scoped))
	}
	by := scoped[0]
	for _, subject := range subjects {
		i, err := d.match(subject, scoped)
		if err != nil {
			return "", err
		}
		by = scoped[i]
	}
	return by.String(), nil
}

// match is the rule that covers a subject; the error is why none does.
func (d *decision) match(subject Subject, rules []Rule) (int, error) {
	for i, rule := range rules {
		if match, err := d.tool.matches(subject, rule.Pattern); match || err != nil {
			return i, err
		}
	}
	text, err := d.tool.text(subject)
	if err != nil {
		return 0, err
	}
	for _, rule := range rules {
		why, err := d.tool.objection(subject, rule.Pattern)
		if err != nil {
			return 0, err
		}
		if why != "" {
			return 0, fmt.Errorf("tool %q is not allowed for %q by %s: %s; write a rule without a * there, or do without it",
				d.call.Tool, text, list([]Rule{rule}), why)
		}
	}
	return 0, fmt.Errorf("tool %q is not allowed for %q: it is allowed only as %s", d.call.Tool, text, list(rules))
}

var errNoPattern = errors.New("the tool takes no pattern")

func (d *decision) subjects(ctx context.Context) ([]Subject, error) {
	if d.plan == nil {
		plan, err := d.tool.plan(ctx, d.call)
		if err != nil {
			return nil, err
		}
		if plan == nil {
			return nil, nil
		}
		d.plan = plan
	}
	return d.tool.subjects(d.plan)
}

func notListed(name string, rules []Rule) string {
	if len(rules) == 0 {
		return fmt.Sprintf("tool %q is not allowed: no tool is; name it in allowed_tools, or with --allow", name)
	}
	return fmt.Sprintf("tool %q is not allowed; allowed: %s", name, list(rules))
}

// list renders rules with where they were written, a few of them.
func list(rules []Rule) string {
	const most = 8
	var parts []string
	for i, r := range rules {
		if i == most {
			parts = append(parts, fmt.Sprintf("and %d more", len(rules)-most))
			break
		}
		text := r.String()
		if r.From != "" {
			text += " (" + r.From + ")"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}
