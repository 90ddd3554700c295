package main

import (
	"fmt"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/clip"
	"github.com/scriptrun/scriptrun/hostapi/plain"
)

// leastText is how many columns a text beside others needs; with fewer it stands below.
const leastText = 24

// between stands between two cells of a row.
const between = "  "

// table writes rows whose last cell is a text, with a style for each of the others.
func (p *page) table(rows [][]string, styles ...style) error {
	widths, half := make([]int, len(styles)), p.columns()/2
	for _, row := range rows {
		if half > 0 && wide(strings.Join(row[:len(styles)], between)+between) > half {
			continue // its text stands below, and it takes no room from the others
		}
		for i := range widths {
			widths[i] = max(widths[i], wide(row[i]))
		}
	}
	for _, row := range rows {
		if err := p.row(row, widths, styles...); err != nil {
			return err
		}
	}
	return nil
}

// row writes one row of a table whose columns have these widths.
func (p *page) row(row []string, widths []int, styles ...style) error {
	lead, painted, at, most := "", "", 0, p.columns()
	for i, s := range styles {
		cell := plain.Line(row[i])
		lead, painted = lead+cell, painted+p.paint(s, cell)
		at += widths[i] + len(between)
		gap := strings.Repeat(" ", max(1, at-wide(lead)))
		lead, painted = lead+gap, painted+gap
	}
	text, rows := strings.TrimSpace(strings.ReplaceAll(plain.Line(row[len(styles)]), "\t", " ")), []string(nil)
	beside := most == 0 || wide(lead) == at && most-at >= leastText
	switch above := strings.TrimRight(lead, " "); {
	case beside && text != "" || above == "":
	case wide(above) > most && most > 0:
		rows = wrap("", between, above, most)
	default:
		rows = []string{strings.TrimRight(painted, " ")}
	}
	if !beside && most-at < leastText {
		at = len(lead) - len(strings.TrimLeft(lead, " ")) + len(between)
	}
	if text != "" {
		blank := strings.Repeat(" ", at)
		below := wrap(blank, blank, text, most)
		if beside {
			below[0] = painted + below[0][at:]
		}
		rows = append(rows, below...)
	}
	_, err := fmt.Fprintln(p.to, strings.Join(rows, "\n"))
	return err
}

// arguments writes a table of arguments below a heading: name, type and meaning.
func (p *page) arguments(heading string, arguments [][3]string) error {
	p.heading(heading)
	var rows [][]string
	for _, a := range arguments {
		text := a[1]
		if text != "" && a[2] != "" {
			text += ": "
		}
		rows = append(rows, []string{"  " + a[0], text + a[2]})
	}
	return p.table(rows, strong)
}

// facts writes a table of names, each with a colon, and what there is to say of them.
func (p *page) facts(rows [][]string) error {
	longest := 0
	for _, row := range rows {
		longest = max(longest, len(row[0]))
	}
	for _, row := range rows {
		if err := p.row(row, []int{longest - 1}, faint); err != nil {
			return err
		}
	}
	return nil
}

// summary is what stands of a description beside its tool: its first line in a pipe, and
// otherwise its first paragraph, which may be of several lines.
func (p *page) summary(description string) string {
	if p.width == nil {
		return clip.Line(description)
	}
	paragraph, _, _ := strings.Cut(strings.TrimSpace(description), "\n\n")
	return strings.Join(strings.Fields(paragraph), " ")
}
