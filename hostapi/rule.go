package hostapi

import (
	"fmt"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/clip"
)

// MaxNameBytes bounds the name of a tool, a rule or a tool file.
const MaxNameBytes = 64

// MaxRuleBytes bounds the text of a rule.
const MaxRuleBytes = 4 << 10

// Rule grants calls of one tool: all of them, or those whose every subject
// matches Pattern. The zero Rule grants nothing.
type Rule struct {
	// Tool is the name the rule is for.
	Tool string
	// Pattern is the text between the parentheses; empty for a bare rule.
	Pattern string
	// From is the place where the rule was written, such as "tools/x.js:4:18" or
	// "--allow".
	From string
}

// String is the rule as it was written, without From.
func (r Rule) String() string {
	if r.Pattern == "" {
		return r.Tool
	}
	return r.Tool + "(" + r.Pattern + ")"
}

// RuleError is a rule that cannot be parsed. Offset counts bytes from the start of
// Text.
type RuleError struct {
	Text   string
	Offset int
	Msg    string
}

// Error implements error.
func (e *RuleError) Error() string {
	text, more := clip.Head(e.Text, 200), ""
	if text != e.Text {
		more = fmt.Sprintf("… (%d bytes)", len(e.Text))
	}
	return fmt.Sprintf("rule %q%s, character %d: %s", text, more, e.Offset+1, e.Msg)
}

// ParseRule parses "name" or "name(pattern)". It drops white space around the whole and
// around the pattern; the pattern runs to the last parenthesis. The error is a
// *[RuleError].
func ParseRule(text string) (Rule, error) {
	trimmed := strings.TrimSpace(text)
	lead := strings.Index(text, trimmed)
	bad := func(at int, msg string) (Rule, error) {
		return Rule{}, &RuleError{Text: text, Offset: lead + at, Msg: msg}
	}
	if len(trimmed) > MaxRuleBytes {
		return bad(MaxRuleBytes, fmt.Sprintf("the rule is %d bytes; at most %d are allowed; write several shorter ones", len(trimmed), MaxRuleBytes))
	}
	name, rest, scoped := strings.Cut(trimmed, "(")
	if name == "" {
		return bad(0, "expected a tool name, as in grep or bash(git log *)")
	}
	if at := badNameByte(name); at >= 0 {
		return bad(at, "a tool name holds letters, digits, _ and - only, at most 64 of them")
	}
	if !scoped {
		return Rule{Tool: name}, nil
	}
	if !strings.HasSuffix(rest, ")") {
		return bad(len(trimmed), "expected ) at the end")
	}
	pattern := strings.TrimSpace(strings.TrimSuffix(rest, ")"))
	if pattern == "" {
		return bad(len(name)+1, "the pattern is empty; write the name alone to grant every call")
	}
	if i := strings.IndexAny(pattern, "\x00\n\r"); i >= 0 {
		return bad(len(name)+1+strings.Index(rest, pattern)+i, "a pattern is one line of text")
	}
	return Rule{Tool: name, Pattern: pattern}, nil
}

// ValidName reports whether s can name a tool: [a-zA-Z0-9_-]{1,64}.
func ValidName(s string) bool { return s != "" && badNameByte(s) < 0 }

// badNameByte is the offset of the first byte that a name cannot have, or -1.
func badNameByte(s string) int {
	for i := 0; i < len(s); i++ {
		c := s[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if i >= MaxNameBytes || !letter && c != '_' && c != '-' {
			return i
		}
	}
	return -1
}
