package hostapi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// grant is the first rule of a list that grants a call. The error says why none does;
// it holds errors of the tool as text.
func grant(ctx context.Context, call Call, rules []Rule) (Rule, error) {
	var tool guarded
	if call.resolution != nil {
		tool = call.resolution.tool
	}
	name := call.Tool
	further, err := tool.grantedBy(call.Args)
	if err != nil {
		return Rule{}, err
	}
	names := append([]string{name}, further...)
	var scoped []Rule
	for _, rule := range rules {
		if !slices.Contains(names, rule.Tool) {
			continue
		}
		if rule.Pattern == "" {
			return rule, nil
		}
		if rule.Tool == name {
			scoped = append(scoped, rule)
		}
	}
	if len(scoped) == 0 {
		return Rule{}, errors.New(notListed(name, rules))
	}
	plan, err := call.Resolve(ctx)
	var subjects []Subject
	if err == nil && plan != nil {
		subjects, err = tool.subjects(plan)
	}
	var opaque *OpaqueError
	switch {
	case errors.Is(err, errNoPattern):
		return Rule{}, fmt.Errorf("tool %q takes no pattern, so %s grants nothing", name, scoped[0])
	case errors.As(err, &opaque):
		return Rule{}, fmt.Errorf("tool %q is allowed only as %s, and this call cannot be checked against that: %s; "+
			"write it more simply, or allow %s without a pattern", name, list(scoped), opaque.Reason, name)
	case err != nil:
		return Rule{}, err
	case len(subjects) == 0:
		return Rule{}, fmt.Errorf("tool %q is allowed only as %s, and this call names nothing to match", name, list(scoped))
	}
	by := scoped[0]
	for _, subject := range subjects {
		i, err := covering(tool, subject, scoped)
		if err != nil {
			return Rule{}, err
		}
		by = scoped[i]
	}
	return by, nil
}

// covering is the index of the rule that covers a subject; the error says why none
// does.
func covering(tool guarded, subject Subject, rules []Rule) (int, error) {
	for i, rule := range rules {
		if match, err := tool.matches(subject, rule.Pattern); match || err != nil {
			return i, err
		}
	}
	text, err := tool.text(subject)
	if err != nil {
		return 0, err
	}
	for _, rule := range rules {
		why, err := tool.objection(subject, rule.Pattern)
		if err != nil {
			return 0, err
		}
		if why != "" {
			return 0, fmt.Errorf("tool %q is not allowed for %q by %s: %s; write a rule without a * there, or do without it",
				tool.name, text, list([]Rule{rule}), why)
		}
	}
	hint := ""
	if text == "." {
		hint = `; "." is the whole workspace, which is where a call without a path looks: give it a path`
	}
	return 0, fmt.Errorf("tool %q is not allowed for %q: it is allowed only as %s%s", tool.name, text, list(rules), hint)
}

var errNoPattern = errors.New("the tool takes no pattern")

func notListed(name string, rules []Rule) string {
	if len(rules) == 0 {
		return fmt.Sprintf("tool %q is not allowed: no tool is; name it in allowed_tools, or with --allow", name)
	}
	return fmt.Sprintf("tool %q is not allowed; allowed: %s", name, list(rules))
}

// list renders a few rules with the places where they were written.
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
