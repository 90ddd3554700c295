package shell

import (
	"maps"
	"slices"
	"strings"
)

// What runs is the line as it is written here. Each word stands in single
// quotes, in which only the closing quote has a meaning to a shell. So no word
// can be a reserved word, an alias, an assignment or a pattern. Everything
// outside quotes is a constant of this file, or the name of a variable of git's.

// written is the list as a shell line, one statement a line.
func (l list) written() string { return l.rewritten(nil) }

// rewritten is written, with every simple command changed first.
func (l list) rewritten(change func(simple) simple) string {
	w := writer{change: change}
	for i, s := range l {
		if i > 0 {
			w.WriteByte('\n')
		}
		w.statement(s)
		if s.background {
			w.WriteString(" &")
		}
	}
	return w.String()
}

type writer struct {
	strings.Builder
	change func(simple) simple // nil for none
}

// list writes a list between reserved words, each statement with its terminator.
func (w *writer) list(l list) {
	for _, s := range l {
		w.WriteByte(' ')
		w.statement(s)
		if s.background {
			w.WriteString(" &")
		} else {
			w.WriteByte(';')
		}
	}
}

func (w *writer) statement(s statement) {
	for _, p := range s.pipelines {
		if p.operator != "" {
			w.WriteString(" " + p.operator + " ")
		}
		if p.negated {
			w.WriteString("! ")
		}
		for i, part := range p.parts {
			if i > 0 {
				w.WriteString(" | ")
			}
			w.part(part)
		}
	}
}

func (w *writer) part(p part) {
	if p.simple != nil {
		w.simple(*p.simple)
	}
	for i, word := range p.compound.words {
		if i > 0 {
			w.WriteByte(' ')
		}
		w.WriteString(word)
		if i < len(p.compound.lists) {
			w.list(p.compound.lists[i])
		}
	}
	for _, r := range p.redirects {
		w.WriteString(" " + r.String())
	}
}

func (w *writer) simple(s simple) {
	if w.change != nil {
		s = w.change(s)
	}
	var given settings
	if s.given != nil {
		given = *s.given
	}
	if len(given.unset) > 0 {
		w.WriteString("( unset " + strings.Join(given.unset, " ") + "; ")
	}
	for _, name := range slices.Sorted(maps.Keys(given.set)) {
		w.WriteString(name + "=" + quoted(given.set[name]) + " ")
	}
	for i, word := range s.words {
		if i > 0 {
			w.WriteByte(' ')
		}
		w.WriteString(quoted(word))
	}
	if len(given.unset) > 0 {
		w.WriteString(" )")
	}
}

// String is the redirection as it is written: 2>&1, 1>/dev/null.
func (r redirect) String() string { return r.descriptor + r.operator + r.target }

// quoted is a word in single quotes. A quote within it ends them, stands behind a
// backslash, and begins them again.
func quoted(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
