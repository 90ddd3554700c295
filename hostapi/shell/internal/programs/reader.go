package programs

import (
	"fmt"
	"strings"
)

// reader parses one line by a grammar.
type reader struct {
	line
	grammar *grammar
	name    string
	table   map[string]option
	pending string // the option that takes the next word
}

// unlisted guards an unknown option. It may take the next word, so nothing that
// follows is known either.
func (r *reader) unlisted(at int, option string) {
	r.guard(at, fmt.Sprintf("%s %s is not an option that is known to be harmless; options are known by their whole names", r.name, option))
	r.lost = fmt.Sprintf("it follows %s %s, which may take it", r.name, option)
}

// take reads a word as the value of the option before it.
func (r *reader) take(at int) {
	name := r.pending
	r.pending = ""
	r.give(name, r.words[at], at)
	if w := r.words[at]; len(w) > 1 && w[0] == '-' {
		r.mustBeListed(at)
	}
}

// mustBeListed guards a word that begins with a dash unless it is a covered
// option. It does not change the reader.
func (r *reader) mustBeListed(at int) {
	probe := &reader{line: line{words: r.words, why: r.why}, grammar: r.grammar, name: r.name, table: r.table}
	probe.option(at)
}

// give records an option, and guards the word of its value where needed.
func (r *reader) give(name, value string, at int) {
	r.options = append(r.options, given{name, value, at})
	if why := r.table[name].why; why != "" {
		r.guard(at, r.name+" "+name+" "+why)
	}
	if r.grammar.values != nil {
		if why := r.grammar.values(name, value); why != "" {
			r.guard(at, r.name+" "+name+": "+why)
		}
	}
}

// option reads a word that begins with a dash.
func (r *reader) option(at int) {
	w := r.words[at]
	long := strings.HasPrefix(w, "--") || r.grammar.style == single
	if !long {
		r.bundle(at)
		return
	}
	name, value, has := strings.Cut(w, "=")
	if r.grammar.style == single {
		name = "-" + strings.TrimLeft(name, "-")
	}
	o, ok := r.table[name]
	if !ok && r.grammar.style == gnu && !has && isNumber(w[1:]) {
		o, ok = r.table["-9"]
	}
	switch {
	case !ok, has && o.arity == flag && r.grammar.style == gnu:
		r.unlisted(at, name)
	case has:
		r.give(name, value, at)
	case o.arity == valued:
		if o.why != "" {
			r.guard(at, r.name+" "+name+" "+o.why)
		}
		r.pending = name
	default:
		r.give(name, "", at)
	}
}

// bundle reads short options after one dash.
func (r *reader) bundle(at int) {
	w := r.words[at]
	if _, ok := r.table["-9"]; ok && isNumber(w[1:]) {
		r.give("-9", w[1:], at)
		return
	}
	for i := 1; i < len(w); i++ {
		name := "-" + w[i:i+1]
		o, ok := r.table[name]
		if !ok {
			r.unlisted(at, name)
			return
		}
		rest := w[i+1:]
		switch {
		case o.arity == valued && rest == "":
			if o.why != "" {
				r.guard(at, r.name+" "+name+" "+o.why)
			}
			r.pending = name
			return
		case o.arity != flag:
			r.give(name, rest, at)
			r.mayBeFlags(at, rest)
			return
		}
		r.give(name, "", at)
	}
}

// mayBeFlags guards an attached value that would be refused options if the option
// before it took no value after all.
func (r *reader) mayBeFlags(at int, rest string) {
	for i := range len(rest) {
		name := "-" + rest[i:i+1]
		o, ok := r.table[name]
		if o.why != "" {
			r.guard(at, r.name+" "+name+" "+o.why)
		}
		if !ok || o.arity != flag {
			return
		}
	}
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
