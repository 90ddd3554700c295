package shell

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
}

func newSimple(words []string, at place) simple {
	return simple{words: words, guards: guarded(words), at: at}
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
