package settings

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
	"github.com/scriptrun/scriptrun/hostapi"
)

// policyRules are the rules of a file's [policy], with their places; nil if it has none.
func (f *file) policyRules(about toml.MetaData, text string) (*hostapi.Rules, error) {
	if !about.IsDefined("policy") {
		return nil, nil
	}
	rules := &hostapi.Rules{}
	for _, list := range []struct {
		key   string
		texts []string
		to    *[]hostapi.Rule
	}{{"deny", f.Policy.Deny, &rules.Deny}, {"ask", f.Policy.Ask, &rules.Ask}, {"allow", f.Policy.Allow, &rules.Allow}} {
		if about.IsDefined("policy", list.key) {
			*list.to = []hostapi.Rule{} // an empty allow allows nothing
		}
		from := offsetOfKey(text, list.key)
		for _, source := range list.texts {
			at := offsetOfString(text, from, source)
			line, col := placeOf(text, at)
			rule, err := hostapi.ParseRule(source)
			if err != nil {
				return nil, &placedError{path: f.path, line: line, col: col, err: fmt.Errorf("policy.%s: %w", list.key, err)}
			}
			rule.From = fmt.Sprintf("%s:%d:%d", f.path, line, col)
			*list.to = append(*list.to, rule)
			if at > from {
				from = at + 1
			}
		}
	}
	return rules, nil
}

// offsetOfKey is where a key of [policy] stands; 0 if it is not found.
func offsetOfKey(text, key string) int {
	at := 0
	if i := strings.Index(text, "policy"); i >= 0 {
		at = i
	}
	for rest := at; ; {
		i := strings.Index(text[rest:], key)
		if i < 0 {
			return at
		}
		rest += i
		after := strings.TrimLeft(text[rest+len(key):], " \t\"'")
		if strings.HasPrefix(after, "=") {
			return rest
		}
		rest += len(key)
	}
}

// offsetOfString is where a string stands from an offset on, as far as it is written
// without escapes; else the offset.
func offsetOfString(text string, from int, value string) int {
	for _, quote := range []string{`"`, "'"} {
		if i := strings.Index(text[from:], quote+value+quote); i >= 0 {
			return from + i
		}
	}
	return from
}

// placeOf is the line and the column of a byte, from 1; columns are characters.
func placeOf(text string, offset int) (line, col int) {
	before := text[:offset]
	return 1 + strings.Count(before, "\n"), 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
}
