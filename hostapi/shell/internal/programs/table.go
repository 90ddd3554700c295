package programs

import "strings"

// Row is an entry of the table, as the documentation shows it.
type Row struct {
	Programs []string
	// Covers is what a wildcard covers.
	Covers string
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
			row := Row{Programs: strings.Fields(p.names), Covers: p.says, Spelled: spelled("", p.refused)}
			for _, c := range p.commands {
				row.Spelled = append(row.Spelled, spelled(c.names+" ", c.refused)...)
			}
			rows = append(rows, row)
		}
	}
	return rows
}

func spelled(command string, refused []refusal) (all []Spelled) {
	for _, r := range refused {
		s := Spelled{Why: r.why}
		for option := range strings.FieldsSeq(r.options) {
			s.Options = append(s.Options, command+strings.TrimRight(option, "=?"))
		}
		if len(s.Options) > 0 {
			all = append(all, s)
		}
	}
	return all
}
