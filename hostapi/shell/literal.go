package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// word is what the shell makes of a word, where that is plain from its text.
func (a *analysis) word(w *syntax.Word) (word, error) {
	var out word
	var text strings.Builder
	for i, part := range w.Parts {
		var err error
		switch p := part.(type) {
		case *syntax.Lit:
			var s string
			if s, err = unquoted(p.Value, i == 0, len(w.Parts) == 1); err == nil {
				text.WriteString(s)
			}
		case *syntax.SglQuoted:
			if p.Dollar {
				err = opaque("$'…'; write it in plain quotes")
			}
			text.WriteString(p.Value)
		case *syntax.DblQuoted:
			var computed bool
			computed, err = a.doubleQuoted(p, &text)
			out.computed = out.computed || computed
		default:
			err = a.part(part)
			out.computed = true
		}
		if err != nil {
			return word{}, err
		}
	}
	out.text = text.String()
	return out, nil
}

func (a *analysis) doubleQuoted(q *syntax.DblQuoted, text *strings.Builder) (computed bool, err error) {
	if q.Dollar {
		return false, opaque(`$"…"; write it in plain quotes`)
	}
	for i, part := range q.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			if err := a.part(part); err != nil {
				return false, err
			}
			computed = true
			continue
		}
		s, err := inDoubleQuotes(lit.Value, i == len(q.Parts)-1)
		if err != nil {
			return false, err
		}
		text.WriteString(s)
	}
	return computed, nil
}

// data walks parts whose text does not matter, only what they run.
func (a *analysis) data(parts []syntax.WordPart) error {
	for _, part := range parts {
		var err error
		switch p := part.(type) {
		case *syntax.Lit:
		case *syntax.SglQuoted:
			if p.Dollar {
				err = opaque("$'…'; write it in plain quotes")
			}
		case *syntax.DblQuoted:
			if p.Dollar {
				return opaque(`$"…"; write it in plain quotes`)
			}
			err = a.data(p.Parts)
		default:
			err = a.part(part)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// part is a part of a word that is not text: $(…) is walked, others are opaque.
func (a *analysis) part(part syntax.WordPart) error {
	switch p := part.(type) {
	case *syntax.CmdSubst:
		if p.Backquotes {
			return opaque("a `…` substitution; write $(…)")
		}
		if p.TempFile || p.ReplyVar {
			return opaque("a ${ …; } substitution; write $(…)")
		}
		a.depth++
		defer func() { a.depth-- }()
		return a.list(p.Stmts, p.Last)
	case *syntax.ParamExp:
		return opaque("a $variable is in it")
	case *syntax.ArithmExp:
		return opaque("arithmetic, which can run commands")
	case *syntax.ProcSubst:
		return opaque("a process substitution")
	case *syntax.ExtGlob:
		return opaque("a glob is in it; quote it or name the files")
	}
	return opaque("it has a form of word that is not known here")
}

// unquoted is the text of a literal outside quotes; first is set where a word
// begins with it, whole where it is the word.
func unquoted(lit string, first, whole bool) (string, error) {
	var text strings.Builder
	for i := 0; i < len(lit); i++ {
		c := lit[i]
		switch c {
		case '\\':
			i++
			switch {
			case i == len(lit):
				return "", opaque("a backslash at its end")
			case lit[i] != '\n':
				text.WriteByte(lit[i])
			}
			continue
		case '*', '?':
			return "", opaque("a glob is in it; quote it or name the files")
		case '[':
			if lit != "[" || !whole { // the command of that name is none
				return "", opaque("a glob is in it; quote it or name the files")
			}
		case '~':
			if i == 0 && first || i > 0 && (lit[i-1] == '=' || lit[i-1] == ':') {
				return "", opaque("~ stands for a directory; write the directory")
			}
		case '{':
			rest := lit[i:]
			if strings.Contains(rest, ",") || strings.Contains(rest, "..") || !strings.Contains(rest, "}") {
				return "", opaque("braces that expand, or may; quote them")
			}
		case '$', '`':
			return "", opaque("a bare %c is in it; quote it", c)
		}
		text.WriteByte(c)
	}
	return text.String(), nil
}

// inDoubleQuotes is the text of a literal within double quotes; last is set
// where the closing quote follows.
func inDoubleQuotes(lit string, last bool) (string, error) {
	var text strings.Builder
	for i := 0; i < len(lit); i++ {
		c := lit[i]
		switch c {
		case '\\':
			if i+1 < len(lit) && strings.IndexByte("$`\"\\\n", lit[i+1]) >= 0 {
				i++
				if lit[i] != '\n' {
					text.WriteByte(lit[i])
				}
				continue
			}
		case '$':
			if !last || i+1 < len(lit) {
				return "", opaque("a bare $ is in it; write it in single quotes")
			}
		case '`':
			return "", opaque("a bare ` is in it; write it in single quotes")
		}
		text.WriteByte(c)
	}
	return text.String(), nil
}
