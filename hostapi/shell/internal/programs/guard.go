package programs

import (
	"path"
	"strings"
)

// program is an entry of the table.
type program struct {
	names string // between blanks; a version at the end of a name does not count
	says  string // what a wildcard covers, for the documentation
	free  bool   // a wildcard covers everything
	grammar
	// commands are those that the first operand can name. A program that has any
	// is covered only where it names one of them.
	commands []command
	// rest is why a command that is not listed is not covered.
	rest string
}

// command is a command of a program, such as log of git.
type command struct {
	names   string
	spelled bool // the name itself must be spelled out
	grammar
}

// Guard returns for each word of a simple command why no wildcard of a pattern
// may cover it, or "" where one may.
func Guard(words []string) []string {
	why := make([]string, len(words))
	if len(words) == 0 {
		return why
	}
	base := path.Base(words[0])
	if sub, ok := strings.CutPrefix(base, "git-"); ok { // git-log is git log
		inner := Guard(append([]string{"git", sub}, words[1:]...))
		why[0] = inner[1]
		copy(why[1:], inner[2:])
		return why
	}
	if p := find(base); p != nil && !p.free {
		p.guard(words, why)
	}
	return why
}

// find returns the table's entry for a program; nil for none. python3.12 is python.
func find(base string) *program {
	for _, name := range []string{base, strings.TrimRight(base, "0123456789.-")} {
		for _, table := range tables() {
			for i := range table {
				if listed(table[i].names, name) {
					return &table[i]
				}
			}
		}
	}
	return nil
}

func listed(names, name string) bool {
	for n := range strings.FieldsSeq(names) {
		if n == name {
			return true
		}
	}
	return false
}

// guard marks the words after the program's name.
func (p *program) guard(words, why []string) {
	name := path.Base(words[0])
	if p.commands == nil {
		p.read(name, words, 1, why)
		return
	}
	before := p.grammar
	before.stops = true
	l := before.read(name, words, 1, why)
	if len(l.operands) == 0 {
		return
	}
	at := l.operands[0]
	c := p.command(words[at])
	if c == nil {
		for i := at; i < len(words); i++ {
			why[i] = name + " " + words[at] + " " + p.rest
		}
		return
	}
	if c.spelled {
		l.guard(at, name+" "+words[at]+" does more than read")
	}
	c.read(name+" "+words[at], words, at+1, why)
}

func (p *program) command(name string) *command {
	for i := range p.commands {
		if listed(p.commands[i].names, name) {
			return &p.commands[i]
		}
	}
	return nil
}
