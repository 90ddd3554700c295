package programs

import "strings"

// Row is an entry of the table, as the documentation shows it.
type Row struct {
	Programs []string
	// Commands are those of the program that the row is about; none where it
	// is about the program, or what comes before a command.
	Commands []string
	// Covers is what a wildcard covers, in words.
	Covers string
	// Options are those that it covers.
	Options []string
	// Spelled are the options that it does not, with the reason.
	Spelled []Spelled
}

// Spelled are options that a rule has to spell out.
type Spelled struct {
	Options []string
	Why     string
}

// Table is all that is known of programs; [Guard] follows it.
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

// bareNames are options as they are typed, without what they take.
func bareNames(spec string) []string {
	names := strings.Fields(spec)
	for i, name := range names {
		names[i] = strings.TrimRight(name, "=?")
	}
	return names
}
