package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// text is what every shell makes of a word, where that is plain from the word.
func text(w *syntax.Word) (string, *unclear) {
	var out strings.Builder
	for i, part := range w.Parts {
		at := placeOf(part.Pos())
		switch p := part.(type) {
		case *syntax.Lit:
			s, err := unquoted(p, i == 0, len(w.Parts) == 1)
			if err != nil {
				return "", err
			}
			out.WriteString(s)
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", opaque(at, "$'…', which sh does not know; write it in plain quotes")
			}
			out.WriteString(p.Value)
		case *syntax.DblQuoted:
			s, err := doubleQuoted(p)
			if err != nil {
				return "", err
			}
			out.WriteString(s)
		default:
			return "", computed(part)
		}
	}
	return out.String(), nil
}

func doubleQuoted(q *syntax.DblQuoted) (string, *unclear) {
	if q.Dollar {
		return "", opaque(placeOf(q.Pos()), `$"…", which sh does not know; write it in plain quotes`)
	}
	var out strings.Builder
	for i, part := range q.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			return "", computed(part)
		}
		s, err := inDoubleQuotes(lit, i == len(q.Parts)-1)
		if err != nil {
			return "", err
		}
		out.WriteString(s)
	}
	return out.String(), nil
}

// computed refuses a part of a word that is not text.
func computed(part syntax.WordPart) *unclear {
	at := placeOf(part.Pos())
	switch part.(type) {
	case *syntax.CmdSubst:
		return opaque(at, "a substitution; run its command as a call of its own, and write what it said")
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

// placeIn is the place of a byte of a literal.
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

// unquoted is the text of a literal outside quotes; first is set where a word
// begins with it, whole where it is the word.
func unquoted(lit *syntax.Lit, first, whole bool) (string, *unclear) {
	const glob = "a glob; quote it, or name the files"
	value := lit.Value
	var out strings.Builder
	for i := 0; i < len(value); i++ {
		c := value[i]
		switch c {
		case '\\':
			i++
			switch {
			case i == len(value):
				return "", opaque(placeIn(lit, i-1), "a backslash at its end; take it out")
			case value[i] != '\n':
				out.WriteByte(value[i])
			}
			continue
		case '*', '?':
			return "", opaque(placeIn(lit, i), glob)
		case '[':
			if value != "[" || !whole { // the command of that name is none
				return "", opaque(placeIn(lit, i), glob)
			}
		case '~':
			if i == 0 && first || i > 0 && (value[i-1] == '=' || value[i-1] == ':') {
				return "", opaque(placeIn(lit, i), "~ stands for a directory; write the directory")
			}
		case '{':
			rest := value[i:]
			if strings.Contains(rest, ",") || strings.Contains(rest, "..") || !strings.Contains(rest, "}") {
				return "", opaque(placeIn(lit, i), "braces that expand, or may; quote them")
			}
		case '$', '`':
			return "", opaque(placeIn(lit, i), "a bare %c; quote it in '…'", c)
		}
		out.WriteByte(c)
	}
	return out.String(), nil
}

// inDoubleQuotes is the text of a literal within double quotes; last is set
// where the closing quote follows.
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
