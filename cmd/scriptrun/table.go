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

// widest is the most that the cells before a text are aligned to in a pipe, which has no end of
// columns: one long cell would pad all others.
const widest = 120

// table writes rows whose last cell is a text, with a style for each of the others.
func (p *page) table(rows [][]string, styles ...style) error {
	widths, half := make([]int, len(styles)), p.columns()/2
	if p.columns() == 0 {
		half = widest
	}
	for _, row := range rows {
		if wide(strings.Join(row[:len(styles)], between)+between) > half {
			continue // its text stands below, or behind it, and it takes no room from the others
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

// The most that is said of a tool's arguments, in bytes: of all of them, and of the name or the
// meaning of one.
const (
	maxArguments = 64 << 10
	maxArgument  = 1 << 10
)

// arguments writes a table of arguments below a heading: name, type and meaning. Of many it
// writes the first ones, and how many more there are.
func (p *page) arguments(heading string, arguments [][3]string) error {
	p.heading(heading)
	var rows [][]string
	size := 0
	for _, a := range arguments {
		text := a[1]
		if text != "" && a[2] != "" {
			text += ": "
		}
		row := []string{"  " + brief(a[0], maxArgument), text + brief(a[2], maxArgument)}
		if size += len(row[0]) + len(row[1]); size > maxArguments {
			break
		}
		rows = append(rows, row)
	}
	err := p.table(rows, strong)
	if more := len(arguments) - len(rows); more > 0 {
		p.say("  and %d more", more)
	}
	return err
}

// brief is the beginning of a long text, and how long it is.
func brief(text string, most int) string {
	if head := clip.Head(text, most); head != text {
		return fmt.Sprintf("%s… (%d bytes)", head, len(text))
	}
	return text
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
