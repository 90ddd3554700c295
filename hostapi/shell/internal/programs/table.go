package programs

import "strings"

// Row is an entry of the table, as the documentation shows it.
type Row struct {
	Programs []string
	// Commands are the commands that the row is about; none where it is about the
	// program itself, or its options before a command.
	Commands []string
	// Covers is what a wildcard covers, in words.
	Covers string
	// Options are the options that a wildcard covers.
	Options []string
	// Spelled are the options that it does not cover, with reasons.
	Spelled []Spelled
}

// Spelled are options that a rule must spell out.
type Spelled struct {
	Options []string
	Why     string
}

// Table lists all that [Guard] knows of programs.
func Table() []Row {
	var rows []Row
	for _, table := range tables() {
		for _, p := range table {
			rows = append(rows, p.row(strings.Fields(p.names), nil, p.says))
			for _, c := range p.commands {
				says := ""
				if c.spelled {
					says = "its arguments, once it is spelled out"
				}
				rows = append(rows, c.row(strings.Fields(p.names), strings.Fields(c.names), says))
			}
		}
	}
	return rows
}

func (g *grammar) row(names, commands []string, says string) Row {
	row := Row{Programs: names, Commands: commands, Covers: says, Options: bareNames(g.covered)}
	for _, r := range g.refused {
		if options := bareNames(r.options); len(options) > 0 {
			row.Spelled = append(row.Spelled, Spelled{options, r.why})
		}
	}
	return row
}

// bareNames are the options of a specification without the marks for values.
func bareNames(spec string) []string {
	names := strings.Fields(spec)
	for i, name := range names {
		names[i] = strings.TrimRight(name, "=?")
	}
	return names
}
