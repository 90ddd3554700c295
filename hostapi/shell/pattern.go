package shell

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"
)

// CheckPattern implements [hostapi.Scoper]. A pattern is words between blanks,
// and is matched against the words of a simple command, one to one and whole:
//
//	git log          exactly these two words
//	git log *        these two, and any further words or none
//	git show HEAD*   a * within a word stands for any characters of that word
//	git * --oneline  a * alone that is not the last is exactly one word
//
// Quotes, backslashes and the shell's operators have no meaning in a pattern
// and are refused.
func (t *Tool) CheckPattern(pattern string) error {
	if strings.TrimSpace(pattern) == "" {
		return errors.New("expected words, as in git log *")
	}
	for _, r := range pattern {
		switch {
		case strings.ContainsRune("'\"\\`$;|&<>(){}", r):
			return fmt.Errorf("%q has no meaning in it; expected plain words of one command, and *", r)
		case r == unicode.ReplacementChar || r != ' ' && r != '\t' && !unicode.IsPrint(r):
			return fmt.Errorf("%U cannot stand in it; expected plain words of one command, and *", r)
		}
	}
	return nil
}

// shown is how much of a command a refusal shows.
const shown = 200

// String implements [hostapi.Subject].
func (s simple) String() string {
	var text strings.Builder
	for i, w := range s.words {
		if i > 0 {
			text.WriteByte(' ')
		}
		if text.Len() > shown {
			text.WriteString("…")
			break
		}
		text.WriteString(shownWord(w))
	}
	return text.String()
}

// shownWord is a word as people write it, quoted where it must be.
func shownWord(word string) string {
	if len(word) > shown {
		word = strings.ToValidUTF8(word[:shown], "") + "…"
	}
	quoted, err := syntax.Quote(word, syntax.LangBash)
	if err != nil {
		return fmt.Sprintf("%q", word)
	}
	return quoted
}

// Match implements [hostapi.Subject].
func (s simple) Match(pattern string) bool {
	covers, why := s.match(pattern)
	return covers && why == ""
}

// Objection implements [hostapi.Objector]: why the wildcards of a pattern that
// has the shape of the command do not cover one of its words.
func (s simple) Objection(pattern string) string {
	_, why := s.match(pattern)
	return why
}

// match is whether a pattern has the shape of the command, and then why it does
// not cover it all the same, if it does not.
func (s simple) match(pattern string) (covers bool, why string) {
	if (*Tool)(nil).CheckPattern(pattern) != nil {
		return false, ""
	}
	wanted := strings.FieldsFunc(pattern, func(r rune) bool { return r == ' ' || r == '\t' })
	open := wanted[len(wanted)-1] == "*"
	if open {
		wanted = wanted[:len(wanted)-1]
	}
	if len(s.words) < len(wanted) || len(s.words) > len(wanted) && !open {
		return false, ""
	}
	for i, word := range s.words {
		wild := i >= len(wanted) || strings.Contains(wanted[i], "*")
		if i < len(wanted) && !matchWord(wanted[i], word) {
			return false, ""
		}
		if wild && s.guards[i] != "" && why == "" {
			why = fmt.Sprintf("no * covers %s: %s", shownWord(word), s.guards[i])
		}
	}
	return true, why
}

// matchWord matches one word; * stands for any characters, also none.
func matchWord(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	first, last := parts[0], parts[len(parts)-1]
	if len(text) < len(first)+len(last) || !strings.HasPrefix(text, first) || !strings.HasSuffix(text, last) {
		return false
	}
	text = text[len(first) : len(text)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		at := strings.Index(text, part)
		if at < 0 {
			return false
		}
		text = text[at+len(part):]
	}
	return true
}
