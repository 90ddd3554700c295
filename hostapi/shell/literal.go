package shell

import (
	"cmp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// shape is what is known of a word before a shell has expanded it: pieces of text with
// anything between them, or any number of words.
type shape struct {
	chunks []string // one more than there are gaps
	many   bool     // it may be any number of words
	why    *unclear // why it is not the same text to every shell; nil where it is
}

// text is what every shell makes of a word, where the word itself shows that.
func text(w *syntax.Word) (string, *unclear) {
	s := shapeOf(w)
	if s.why != nil {
		return "", s.why
	}
	return s.begins(), nil
}

func shapeOf(w *syntax.Word) shape {
	s := shape{chunks: []string{""}}
	for i, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			s.literal(p, i == 0, len(w.Parts) == 1)
		case *syntax.SglQuoted:
			if p.Dollar {
				s.gap(opaque(placeOf(p.Pos()), "$'…', which sh does not know; write it in plain quotes"))
			} else {
				s.add(p.Value)
			}
		case *syntax.DblQuoted:
			s.quoted(p)
		case *syntax.ProcSubst:
			s.gap(computed(p))
		default:
			s.many = true
			s.refuse(computed(p))
		}
	}
	return s
}

func (s *shape) add(text string) { s.chunks[len(s.chunks)-1] += text }

func (s *shape) refuse(why *unclear) { s.why = cmp.Or(s.why, why) }

// gap is some text that nobody knows.
func (s *shape) gap(why *unclear) {
	s.refuse(why)
	s.chunks = append(s.chunks, "")
}

// literal adds text outside quotes; first is set where a word begins with it, whole
// where it is the word.
func (s *shape) literal(lit *syntax.Lit, first, whole bool) {
	const glob = "a glob; quote it, or name the files"
	value := lit.Value
	for i := 0; i < len(value); i++ {
		why := func(format string, args ...any) *unclear { return opaque(placeIn(lit, i), format, args...) }
		rest := value[i:]
		if plain := strings.IndexAny(rest, "\\*?[~{$`"); plain != 0 {
			if plain < 0 {
				plain = len(rest)
			}
			s.add(rest[:plain])
			i += plain - 1
			continue
		}
		switch c := value[i]; c {
		case '\\':
			if len(rest) == 1 {
				s.refuse(why("a backslash at its end; take it out"))
			} else if i++; value[i] != '\n' {
				s.add(value[i : i+1])
			}
		case '*', '?':
			s.gap(why(glob))
		case '[':
			if whole && value == "[" { // the command of that name
				s.add("[")
			} else if s.refuse(why(glob)); whole && value == "[[" { // which sh does not know
				s.add("[")
			} else {
				s.gap(nil)
				s.many = s.many || strings.Contains(rest, "]")
			}
		case '~':
			if i == 0 && first || i > 0 && (value[i-1] == '=' || value[i-1] == ':') {
				s.gap(why("~ stands for a directory; write the directory"))
			} else {
				s.add("~")
			}
		case '{':
			expands := strings.Contains(rest, ",") || strings.Contains(rest, "..")
			if expands || !strings.Contains(rest, "}") {
				s.refuse(why("braces that expand, or may; quote them"))
			}
			s.many = s.many || expands || !whole
			s.add("{")
		default:
			s.gap(why("a bare %c; quote it in '…'", c))
		}
	}
}

func (s *shape) quoted(q *syntax.DblQuoted) {
	if q.Dollar {
		s.refuse(opaque(placeOf(q.Pos()), `$"…", which sh does not know; write it in plain quotes`))
	}
	for i, part := range q.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			if p, ok := part.(*syntax.ParamExp); ok && (p.Param != nil && p.Param.Value == "@" || p.Index != nil) {
				s.many = true
			}
			s.gap(computed(part))
		} else if text, why := inDoubleQuotes(lit, i == len(q.Parts)-1); why != nil {
			s.gap(why)
		} else {
			s.add(text)
		}
	}
}

// computed is why a part of a word is not literal text.
func computed(part syntax.WordPart) *unclear {
	at := placeOf(part.Pos())
	switch part.(type) {
	case *syntax.CmdSubst:
		return opaque(at, "a substitution; run its command as a call of its own, and write its output here")
	case *syntax.ParamExp:
		return opaque(at, "a $variable; write its value, or quote it in '…' if it is text")
	case *syntax.ArithmExp:
		return opaque(at, "arithmetic, which can run commands; compute in the script")
	case *syntax.ProcSubst:
		return opaque(at, "a process substitution, which sh does not know; run its command as a call of its own")
	case *syntax.ExtGlob:
		return opaque(at, "a glob; quote it, or name the files")
	}
	return opaque(at, "a form of word that no pattern covers")
}

// placeIn is the place of byte i of a literal.
func placeIn(lit *syntax.Lit, i int) place {
	at := placeOf(lit.ValuePos)
	before := lit.Value[:min(i, len(lit.Value))]
	if newline := strings.LastIndexByte(before, '\n'); newline >= 0 {
		at.line += strings.Count(before, "\n")
		at.column = len(before) - newline
	} else {
		at.column += len(before)
	}
	return at
}

// inDoubleQuotes is the text of a literal within double quotes; last is set if the
// closing quote follows.
func inDoubleQuotes(lit *syntax.Lit, last bool) (string, *unclear) {
	value := lit.Value
	var out strings.Builder
	for i := 0; i < len(value); i++ {
		c := value[i]
		switch c {
		case '\\':
			if i+1 < len(value) && strings.IndexByte("$`\"\\\n", value[i+1]) >= 0 {
				i++
				if value[i] != '\n' {
					out.WriteByte(value[i])
				}
				continue
			}
		case '$':
			if !last || i+1 < len(value) {
				return "", opaque(placeIn(lit, i), "a bare $; write it in single quotes")
			}
		case '`':
			return "", opaque(placeIn(lit, i), "a bare `; write it in single quotes")
		}
		out.WriteByte(c)
	}
	return out.String(), nil
}
