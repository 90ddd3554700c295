package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/scripttools/settings"
)

// decided says what the operator's policy does with each rule of a tool file, in a line
// for each rule of the policy that concerns it.
func decided(s *settings.Settings, registry *hostapi.Registry, allowed []hostapi.Rule) (lines []string, err error) {
	for _, allow := range allowed {
		for _, rules := range s.Rules {
			for _, list := range []struct {
				rules   []hostapi.Rule
				all, of string
			}{{rules.Deny, "is refused", "is refused where it may match"}, {rules.Ask, "asks a person", "asks a person where it may match"}} {
				for _, rule := range list.rules {
					concerned, err := registry.Concerns(allow.Tool, rule)
					if err != nil {
						return nil, err
					}
					switch {
					case !concerned:
					case rule.Pattern == "":
						lines = append(lines, fmt.Sprintf("%s %s, by %s (%s)", allow, list.all, rule, rule.From))
					default:
						lines = append(lines, fmt.Sprintf("%s %s %s (%s)", allow, list.of, rule, rule.From))
					}
				}
			}
			if line := onlyAs(rules.Allow, allow); line != "" {
				lines = append(lines, line)
			}
		}
	}
	return lines, nil
}

// idle are rules of the policy that name no tool of a registry, such as those of
// servers that are not started.
func idle(s *settings.Settings, registry *hostapi.Registry) (lines []string) {
	for _, rules := range s.Rules {
		for _, rule := range rules.List() {
			var unknown *hostapi.UnknownNameError
			if errors.As(registry.CheckRule(rule), &unknown) {
				lines = append(lines, fmt.Sprintf("%s: %s names no tool that exists here", rule.From, rule))
			}
		}
	}
	return lines
}

// onlyAs says what an allow list leaves of a rule; empty if it leaves all of it.
func onlyAs(list []hostapi.Rule, allow hostapi.Rule) string {
	if list == nil {
		return ""
	}
	var parts []string
	for _, rule := range list {
		if rule.Tool != allow.Tool {
			continue
		}
		if rule.Pattern == "" {
			return ""
		}
		parts = append(parts, fmt.Sprintf("%s (%s)", rule, rule.From))
	}
	switch {
	case len(list) == 0:
		return fmt.Sprintf("%s is refused: a policy.allow is empty", allow)
	case len(parts) == 0:
		return fmt.Sprintf("%s is refused: policy.allow does not name it (%s)", allow, list[0].From)
	}
	return fmt.Sprintf("%s is allowed only as %s", allow, strings.Join(parts, ", "))
}
