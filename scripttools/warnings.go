package scripttools

import (
	"fmt"
	"strings"
)

// Warnings are what is allowed in the tool's header and probably a mistake, one line each,
// with its place.
func (s *ScriptToolSpec) Warnings() (warnings []string) {
	for _, rule := range s.AllowedTools {
		words := strings.Fields(rule.Pattern)
		if (rule.Tool != "bash" && rule.Tool != "git") || len(words) == 0 {
			continue
		}
		last := words[len(words)-1]
		begins, open := strings.CutSuffix(last, "*")
		if !open || begins == "" || strings.ContainsAny(begins, "*/=") || !strings.HasSuffix(begins, ":") && len(words) > 2 {
			continue
		}
		words[len(words)-1] = strings.TrimSuffix(begins, ":")
		warnings = append(warnings, fmt.Sprintf("%s: %s: %q is one word that begins with %q; for any words after %q write %s(%s *)",
			rule.From, rule, last, begins, words[len(words)-1], rule.Tool, strings.Join(words, " ")))
	}
	return warnings
}
