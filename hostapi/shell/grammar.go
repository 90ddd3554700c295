package shell

import (
	"slices"

	"github.com/scriptrun/scriptrun/hostapi/shell/internal/programs"
)

// A line that patterns decide on is read into these types and written anew
// from them. They hold what bash and every POSIX shell read alike, and no
// more: a form that is not here grants nothing.

// list is statements one after another.
type list []statement

// statement is pipelines joined by && and ||.
type statement struct {
	first      pipeline
	rest       []link
	background bool // it ends in &
}

// link is one more pipeline of a statement.
type link struct {
	operator string // && or ||
	pipeline pipeline
}

// pipeline is commands joined by |.
type pipeline struct {
	negated bool // it begins with !
	parts   []part
}

// part is one command of a pipeline: a simple command or a compound one.
type part struct {
	simple    *simple
	compound  compound
	redirects []redirect
}

// compound is lists between reserved words: of each pair a word and what
// follows it. The last word ends it.
type compound struct {
	words []string // one more than lists: {"if", "then", "fi"}
	lists []list
}

// redirect joins a descriptor to another or to the null device; all are below 3.
type redirect struct {
	descriptor string // 0, 1 or 2
	operator   string // <, >, >>, <& or >&
	target     string // /dev/null, or 0, 1, 2, - after an &
}

// simple is one simple command: the subject of rules.
type simple struct {
	words  []string // as the program gets them, its name first; never none
	guards []string // of each word, why no wildcard covers it; see [guarded]
	at     place
	runs   whereabouts
	git    *programs.GitReading // nil unless git reads with it
	given  *settings            // nil for the environment of the line
}

func newSimple(words []string, at place) simple {
	s := simple{words: words, guards: guarded(words), at: at}
	if reading, ok := programs.ReadingGit(words); ok {
		s.git = &reading
	}
	return s
}

// settings are what the environment of one command has other than its line's.
type settings struct {
	set   map[string]string
	unset []string
}

// place is where something stands in a line; the zero value is nowhere.
type place struct {
	line, column int // from 1; a column is a byte
}

// commands are the simple commands of a list, in the order of the line.
func (l list) commands() (found []simple) {
	for _, s := range l {
		found = append(found, s.first.commands()...)
		for _, next := range s.rest {
			found = append(found, next.pipeline.commands()...)
		}
	}
	return found
}

// changed is a list with each simple command replaced. The list stays as it is.
func (l list) changed(change func(simple) simple) list {
	out := slices.Clone(l)
	for i, s := range out {
		out[i].first = s.first.changed(change)
		out[i].rest = slices.Clone(s.rest)
		for j, next := range s.rest {
			out[i].rest[j].pipeline = next.pipeline.changed(change)
		}
	}
	return out
}

func (p pipeline) changed(change func(simple) simple) pipeline {
	p.parts = slices.Clone(p.parts)
	for i, part := range p.parts {
		if part.simple != nil {
			next := change(*part.simple)
			p.parts[i].simple = &next
		}
		p.parts[i].compound.lists = slices.Clone(part.compound.lists)
		for j, inner := range part.compound.lists {
			p.parts[i].compound.lists[j] = inner.changed(change)
		}
	}
	return p
}

func (p pipeline) commands() (found []simple) {
	for _, part := range p.parts {
		if part.simple != nil {
			found = append(found, *part.simple)
		}
		for _, inner := range part.compound.lists {
			found = append(found, inner.commands()...)
		}
	}
	return found
}
