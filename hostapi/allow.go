package hostapi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// grant decides a call against one list of rules. A nil error grants it; an
// *[OpaqueError] or any other error of the tool is folded into the refusal.
func grant(ctx context.Context, tool Tool, call Call, rules []Rule) (string, error) {
	names := []string{call.Tool}
	if g, ok := tool.(Granter); ok {
		names = append(names, g.GrantedBy(call.Args)...)
	}
	var scoped []Rule
	for _, rule := range rules {
		if !slices.Contains(names, rule.Tool) {
			continue
		}
		if rule.Pattern == "" {
			return rule.String(), nil
		}
		if rule.Tool == call.Tool {
			scoped = append(scoped, rule)
		}
	}
	if len(scoped) == 0 {
		return "", errors.New(notListed(call.Tool, rules))
	}
	scoper, ok := tool.(Scoper)
	if !ok {
		return "", fmt.Errorf("tool %q takes no pattern, so %s grants nothing", call.Tool, scoped[0])
	}
	subjects, err := scoper.Subjects(ctx, call)
	var opaque *OpaqueError
	switch {
	case errors.As(err, &opaque):
		return "", fmt.Errorf("tool %q is allowed only as %s, and this call is not plain enough to tell: %s; "+
			"write it plainly, or allow %s without a pattern", call.Tool, list(scoped), opaque.Reason, call.Tool)
	case err != nil:
		return "", err
	case len(subjects) == 0:
		return "", fmt.Errorf("tool %q is allowed only as %s, and this call names nothing to match", call.Tool, list(scoped))
	}
	by := scoped[0]
	for _, subject := range subjects {
		i := slices.IndexFunc(scoped, func(r Rule) bool { return subject.Match(r.Pattern) })
		if i < 0 {
			return "", fmt.Errorf("tool %q is not allowed for %q: it is allowed only as %s", call.Tool, subject.String(), list(scoped))
		}
		by = scoped[i]
	}
	return by.String(), nil
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
