package shell

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"
)

// CheckPattern implements [hostapi.Scoper]. A pattern is words between blanks. They
// are matched one to one with all the words of a simple command:
//
//	git log          exactly these two words
//	git log *        these two and any further words, or none
//	git show HEAD*   a * within a word matches any characters of that word
//	git * --oneline  a lone * that is not the last word matches exactly one word
//	cat src/*        a * after other characters of its word matches no .. of a path
//
// Quotes, backslashes and the shell's operators have no meaning in a pattern
// and are refused.
func (t *Tool) CheckPattern(pattern string) error {
	if strings.TrimSpace(pattern) == "" {
		return errors.New("expected words, as in git log *")
	}
	if err := plainWords(pattern); err != nil {
		return err
	}
	program := strings.Fields(pattern)[0]
	name, _, assigns := strings.Cut(program, "=")
	switch {
	case assigns && syntax.ValidName(name):
		return fmt.Errorf("it would never match: %s sets a variable and is no word of a command; begin with the program", program)
	case strings.HasSuffix(program, "/"):
		return fmt.Errorf("it would never match: %s is a folder; begin with a program, or *", program)
	case slices.Contains(grammarWords, program):
		return fmt.Errorf("it would never match: %s belongs to the shell's grammar; write a rule for each command in it", program)
	}
	return nil
}

// plainWords refuses characters that no pattern has.
func plainWords(pattern string) error {
	for _, r := range pattern {
		switch {
		case strings.ContainsRune("'\"\\`$;|&<>(){}", r):
			return fmt.Errorf("%q cannot be in a pattern; expected plain words of one command, and *", r)
		case r == unicode.ReplacementChar || r != ' ' && r != '\t' && !unicode.IsPrint(r):
			return fmt.Errorf("%U cannot be in a pattern; expected plain words of one command, and *", r)
		}
	}
	return nil
}

// grammarWords are words that begin no command, or join commands.
var grammarWords = []string{"if", "then", "elif", "else", "fi", "for", "in", "while", "until", "do", "done", "case", "esac", "select", "function", "!", "[[", "]]", "coproc"}

// shown is how many bytes of a command a refusal shows.
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

// shownWord is pasted, cut where it is long.
func shownWord(word string) string {
	if len(word) > shown {
		word = strings.ToValidUTF8(word[:shown], "") + "…"
	}
	return pasted(word)
}

// pasted is a word as people write it, quoted where a shell needs that.
func pasted(word string) string {
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

// Objection implements [hostapi.Objector]: why a wildcard of a pattern that
// otherwise fits the command does not cover one of its words.
func (s simple) Objection(pattern string) string {
	_, why := s.match(pattern)
	return why
}

// match reports whether the words of a pattern fit the command. why is then the
// objection of a word that its wildcard matches and does not cover, or "".
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
		if i < len(wanted) {
			matches, climbs := matchWord(wanted[i], word)
			if !matches {
				return false, ""
			}
			if climbs && why == "" {
				why = fmt.Sprintf("no * covers %s: the .. in it leads out of what the rule names", shownWord(word))
			}
		}
		if wild && s.guards[i] != "" && why == "" {
			why = fmt.Sprintf("no * covers %s: %s", shownWord(word), s.guards[i])
		}
	}
	return true, why
}

// matchWord matches one word; * matches any characters, or none. climbs is set
// where a * after other characters would match a .. of a path: src/* is what lies
// in src. What follows --file= counts as a word of its own.
func matchWord(pattern, text string) (matches, climbs bool) {
	before, rest, wild := strings.Cut(pattern, "*")
	if !wild || !strings.HasPrefix(text, before) {
		return !wild && pattern == text, false
	}
	begun := before[strings.LastIndexByte(before, '=')+1:] != ""
	at, parts := len(before), strings.Split(rest, "*")
	for i, part := range parts {
		next := strings.Index(text[at:], part) + at
		if i == len(parts)-1 {
			next = len(text) - len(part)
		}
		if next < at || !strings.HasPrefix(text[next:], part) {
			return false, false
		}
		climbs = climbs || begun && climbsIn(text, at, next)
		begun = begun || part != ""
		at = next + len(part)
	}
	return true, climbs
}

// climbsIn reports whether path[from:to] holds a .. or a part of one.
func climbsIn(path string, from, to int) bool {
	begins := 0
	for segment := range strings.SplitSeq(path, "/") {
		if ends := begins + len(segment); segment == ".." && from < ends && begins < to {
			return true
		}
		begins += len(segment) + 1
	}
	return false
}
