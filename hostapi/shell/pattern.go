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

// simple is one simple command: the subject of rules.
type simple struct {
	words []word
}

// word is one word after quotes are taken away. Where computed is set, it
// stands for any number of words that are not known.
type word struct {
	text     string
	computed bool
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
		if w.computed {
			text.WriteString("$(…)")
			continue
		}
		part := w.text
		if len(part) > shown {
			part = strings.ToValidUTF8(part[:shown], "") + "…"
		}
		quoted, err := syntax.Quote(part, syntax.LangBash)
		if err != nil {
			quoted = fmt.Sprintf("%q", part)
		}
		text.WriteString(quoted)
	}
	return text.String()
}

// Match implements [hostapi.Subject].
func (s simple) Match(pattern string) bool {
	if (*Tool)(nil).CheckPattern(pattern) != nil {
		return false
	}
	wanted := strings.FieldsFunc(pattern, func(r rune) bool { return r == ' ' || r == '\t' })
	open := wanted[len(wanted)-1] == "*"
	if open {
		wanted = wanted[:len(wanted)-1]
	}
	if len(s.words) < len(wanted) || len(s.words) > len(wanted) && !open {
		return false
	}
	guards := guarded(s.texts())
	for i, w := range s.words {
		switch {
		case i >= len(wanted):
			if guards[i] != "" {
				return false
			}
		case w.computed:
			// How many words a computed one is, nobody knows; only "any further" covers it.
			return false
		case guards[i] != "" && strings.Contains(wanted[i], "*"), !matchWord(wanted[i], w.text):
			return false
		}
	}
	return true
}

// texts are the words as a program gets them; one that is computed has none.
func (s simple) texts() []string {
	texts := make([]string, len(s.words))
	for i, w := range s.words {
		texts[i] = w.text
	}
	return texts
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
