package scripttools

import (
	"errors"
	"unicode/utf8"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
)

// placedRule is a rule and where it stands.
type placedRule struct {
	hostapi.Rule
	at place
}

// rules reads allowed_tools. An absent list is an empty one: no tool at all.
func (r *fieldReader) rules() []placedRule {
	n := r.value("allowed_tools", kindList)
	if n == nil {
		return nil
	}
	var rules []placedRule
	for _, item := range n.items {
		if item.kind == kindBroken {
			continue
		}
		if item.kind != kindText {
			r.fail(item.at, "quote it", "allowed_tools holds %s; expected text such as grep or bash(git log *)", item.kind)
			continue
		}
		rule, err := hostapi.ParseRule(item.text)
		if err != nil {
			at, msg := item.at, err.Error()
			var bad *hostapi.RuleError
			if errors.As(err, &bad) {
				msg = bad.Msg
				if item.inner > 0 {
					at.col = item.inner + utf8.RuneCountInString(item.text[:min(bad.Offset, len(item.text))])
				}
			}
			r.failWith(at, "", err, "allowed_tools, rule %s: %s", quote(item.text), msg)
			continue
		}
		rule.From = runtime.Position{File: r.file.path, Line: item.at.line, Col: item.at.col}.String()
		rules = append(rules, placedRule{rule, item.at})
	}
	return rules
}

// checkRules refuses rules that could never grant a call. scripts are the
// names of all tools that are loaded together: a script does not run scripts.
func (r *fieldReader) checkRules(rules []placedRule, registry *hostapi.Registry, scripts map[string]bool) []hostapi.Rule {
	var out []hostapi.Rule
	for _, rule := range rules {
		err := registry.CheckRule(rule.Rule)
		var unknown *hostapi.UnknownNameError
		switch {
		case err == nil:
			out = append(out, rule.Rule)
		case errors.As(err, &unknown) && scripts[rule.Tool]:
			r.failWith(rule.at, "", err, "allowed_tools: %s is a script tool, and a script does not run scripts", quote(rule.Tool))
		default:
			r.failWith(rule.at, "", err, "allowed_tools: %v", err)
		}
	}
	return out
}
