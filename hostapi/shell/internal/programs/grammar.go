package programs

import "strings"

// style is how a program spells its options.
type style int

const (
	gnu    style = iota // --long, --long=value, -abc, -nVALUE, -n VALUE
	single              // -long, -long value, -long=value, and the same with two dashes
)

// grammar is the options and operands of a program, or of one command of it.
//
// Options are listed as they are typed, between blanks: -n is a flag, -n= takes
// a value, -n? may have one attached, and -9 stands for any number.
type grammar struct {
	style   style
	covered string    // options that a wildcard may cover, with their values
	refused []refusal // options that are known, and that it may not cover
	values  func(option, value string) (why string)
	// operands guards operands that a wildcard may not cover; nil covers them all.
	operands func(l *line)
	// stops is set where options end at the first operand.
	stops bool
	// hands are options whose value names a program that gets the rest of the line.
	hands string
}

// refusal is some options and why a wildcard may not cover them. An option
// followed by why reads as a sentence: "git log --output writes a file".
type refusal struct {
	options, why string
}

// line is a command line, parsed by a grammar.
type line struct {
	words    []string
	why      []string // for each word
	operands []int
	options  []given
	lost     string // after an unknown option: why the words that follow are unknown too
}

// given is an option with its value, if it has one.
type given struct {
	name, value string
	at          int // the word that the value is in
}

// guard records why a word is guarded; the first reason stays.
func (l *line) guard(at int, why string) {
	if l.why[at] == "" {
		l.why[at] = why
	}
}

// has reports whether one of these options is there.
func (l *line) has(names ...string) bool {
	for _, o := range l.options {
		for _, name := range names {
			if o.name == name {
				return true
			}
		}
	}
	return false
}

// arity is what an option takes.
type arity int

const (
	flag arity = iota
	attached
	valued
)

// option is one of a table.
type option struct {
	arity arity
	why   string // it is refused
}

// table is the grammar's options by name.
func (g *grammar) table() map[string]option {
	table := map[string]option{}
	add := func(spec, why string) {
		for name := range strings.FieldsSeq(spec) {
			o := option{why: why}
			switch name[len(name)-1] {
			case '=':
				o.arity = valued
			case '?':
				o.arity = attached
			}
			table[strings.TrimRight(name, "=?")] = o
		}
	}
	add(g.covered, "")
	for _, r := range g.refused {
		add(r.options, r.why)
	}
	return table
}

// read parses words[from:] and records in why what a wildcard may not cover. name
// is the program in the reasons.
func (g *grammar) read(name string, words []string, from int, why []string) *line {
	r := &reader{line: line{words: words, why: why}, grammar: g, name: name, table: g.table()}
	ended := false
	for i := from; i < len(words); i++ {
		w := words[i]
		dashed := len(w) > 1 && w[0] == '-'
		switch {
		case r.lost != "":
			r.guard(i, r.lost)
		case r.pending != "":
			option := r.pending
			r.take(i)
			if listed(g.hands, option) {
				copy(why[i+1:], Guard(words[i:])[1:])
				return &r.line
			}
		case w == "--" && !ended:
			ended = true
		case dashed && ended:
			r.mustBeListed(i)
			r.operands = append(r.operands, i)
		case dashed:
			r.option(i)
		default:
			r.operands = append(r.operands, i)
			ended = ended || g.stops
			if g.stops {
				for j := i + 1; j < len(words); j++ {
					r.operands = append(r.operands, j)
				}
				i = len(words)
			}
		}
	}
	if g.operands != nil {
		g.operands(&r.line)
	}
	return &r.line
}
