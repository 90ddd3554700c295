package shell

import (
	"maps"
	"slices"
	"strings"
)

// The written form of a line is the one that runs. Each word stands in single
// quotes, in which no shell gives a meaning to any character but the closing
// quote; so no word can be a reserved word, an alias, an assignment or a
// pattern. Everything outside of quotes is a constant of this file, or the name
// of a variable of git's.

// written is the list as a line of its own, a statement a line.
func (l list) written() string {
	var out strings.Builder
	for i, s := range l {
		if i > 0 {
			out.WriteByte('\n')
		}
		s.write(&out)
		if s.background {
			out.WriteString(" &")
		}
	}
	return out.String()
}

// write puts a list between reserved words: each statement with its end.
func (l list) write(out *strings.Builder) {
	for _, s := range l {
		out.WriteByte(' ')
		s.write(out)
		if s.background {
			out.WriteString(" &")
		} else {
			out.WriteByte(';')
		}
	}
}

func (s statement) write(out *strings.Builder) {
	s.first.write(out)
	for _, next := range s.rest {
		out.WriteString(" " + next.operator + " ")
		next.pipeline.write(out)
	}
}

func (p pipeline) write(out *strings.Builder) {
	if p.negated {
		out.WriteString("! ")
	}
	for i, part := range p.parts {
		if i > 0 {
			out.WriteString(" | ")
		}
		part.write(out)
	}
}

func (p part) write(out *strings.Builder) {
	if p.simple != nil {
		p.simple.write(out)
	} else {
		for i, word := range p.compound.words {
			if i > 0 {
				out.WriteByte(' ')
			}
			out.WriteString(word)
			if i < len(p.compound.lists) {
				p.compound.lists[i].write(out)
			}
		}
	}
	for _, r := range p.redirects {
		out.WriteString(" " + r.String())
	}
}

func (s simple) write(out *strings.Builder) {
	g := s.given
	if g == nil {
		g = &settings{}
	}
	if len(g.unset) > 0 {
		out.WriteString("( unset " + strings.Join(g.unset, " ") + "; ")
	}
	for _, name := range slices.Sorted(maps.Keys(g.set)) {
		out.WriteString(name + "=" + quoted(g.set[name]) + " ")
	}
	for i, word := range s.words {
		if i > 0 {
			out.WriteByte(' ')
		}
		out.WriteString(quoted(word))
	}
	if len(g.unset) > 0 {
		out.WriteString(" )")
	}
}

// String is the redirection as it is written: 2>&1, 1>/dev/null.
func (r redirect) String() string { return r.descriptor + r.operator + r.target }

// quoted is a word in single quotes. A quote within it ends them, stands behind
// a backslash, and begins them again.
func quoted(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
