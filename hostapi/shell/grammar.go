package shell

import (
	"slices"

	"github.com/scriptrun/scriptrun/hostapi/shell/internal/programs"
)

// A line that patterns decide on is parsed into these types and written anew
// from them. They hold only what bash and every POSIX shell read alike: a form
// that is not here grants nothing.

// list is statements one after another.
type list []statement

// statement is pipelines joined by && and ||.
type statement struct {
	pipelines  []pipeline // never none
	background bool       // it ends in &
}

// pipeline is commands joined by |.
type pipeline struct {
	operator string // && or || before it; empty for the first of a statement
	negated  bool   // it begins with !
	parts    []part
}

// part is one command of a pipeline: a simple command or a compound one.
type part struct {
	simple    *simple
	compound  compound
	redirects []redirect
}

// compound is lists between reserved words, such as if LIST then LIST fi.
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

// simple is one simple command: what a rule is matched against.
type simple struct {
	words  []string // as the program gets them, its name first; never none
	guards []string // for each word, why no wildcard covers it; see [programs.Guard]
	at     place
	runs   whereabouts
	git    *programs.GitReading // nil unless git reads with it
	given  *settings            // nil for the environment of the line
}

func newSimple(words []string, at place) simple {
	s := simple{words: words, guards: programs.Guard(words), at: at}
	if reading, ok := programs.ReadingGit(words); ok {
		s.git = &reading
	}
	return s
}

// settings are one command's changes to the environment of its line.
type settings struct {
	set   map[string]string
	unset []string
}

// place is a position in a line; the zero value is none.
type place struct {
	line, column int // from 1; a column is a byte
}

// each calls do for every simple command of a list, in the order of the line, with
// its redirections: its own, then those of the commands around it.
func (l list) each(around []redirect, do func(s simple, redirects []redirect)) {
	for _, s := range l {
		for _, p := range s.pipelines {
			for _, part := range p.parts {
				redirects := slices.Concat(part.redirects, around)
				if part.simple != nil {
					do(*part.simple, redirects)
				}
				for _, inner := range part.compound.lists {
					inner.each(redirects, do)
				}
			}
		}
	}
}

// commands are the simple commands of a list, in the order of the line.
func (l list) commands() (found []simple) {
	l.each(nil, func(s simple, _ []redirect) { found = append(found, s) })
	return found
}
