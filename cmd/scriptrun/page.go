package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/plain"
	"github.com/scriptrun/scriptrun/runtime"
)

// page lays out text for people: coloured, and wrapped where a terminal would break it
// in two at any place. In a pipe each line stays whole. All text is made plain.
type page struct {
	painter
	to    io.Writer
	width func() int // of the terminal; nil in a pipe
}

// page is stdout for people.
func (e env) page() *page {
	p := &page{painter: painter{e.wanted, e.colours && e.terminalOut}, to: e.rawOut}
	if e.terminalOut {
		p.width = e.width
	}
	return p
}

// columns is how many there are; 0 for no end of them.
func (p *page) columns() int {
	if p.width == nil {
		return 0
	}
	return p.width()
}

// heading writes a line above others.
func (p *page) heading(text string) {
	for _, row := range wrap("", "", plain.Line(text), p.columns()) {
		fmt.Fprintln(p.to, p.paint(strong, row))
	}
}

// prose writes paragraphs, each as far indented as its first line.
func (p *page) prose(text string) {
	for line := range strings.SplitSeq(plain.Text(text), "\n") {
		body := strings.TrimLeft(line, " \t")
		indent := strings.ReplaceAll(line[:len(line)-len(body)], "\t", "  ")
		fmt.Fprintln(p.to, strings.Join(wrap(indent, indent, strings.ReplaceAll(body, "\t", " "), p.columns()), "\n"))
	}
}

// say writes lines.
func (p *page) say(format string, args ...any) {
	fmt.Fprint(p.to, p.lines(plain.Text(fmt.Sprintf(format, args...)))+"\n")
}

// lines lays out lines whose form tells what they are. Those of scripts are marked, so
// none of theirs passes for one of ours.
func (p *page) lines(text string) string {
	all := strings.Split(text, "\n")
	var out []string
	for i := 0; i < len(all); i++ {
		if i+1 < len(all) && isExcerpt(all[i], all[i+1]) {
			line, caret := p.excerpt(all[i], all[i+1])
			out = append(out, line, caret)
			i++
			continue
		}
		out = append(out, p.line(all[i])...)
	}
	return strings.Join(out, "\n")
}

// line lays out one line.
func (p *page) line(line string) (rows []string) {
	body := strings.TrimLeft(line, " ")
	indent := line[:len(line)-len(body)]
	hang, all := indent+"  ", style("")
	if indent == "" {
		hang = "    "
	}
	switch {
	case strings.HasPrefix(line, plain.Mark):
		indent, body = plain.Mark, line[len(plain.Mark):]
		return wrap(indent, indent+"  ", body, p.columns())
	case strings.HasPrefix(line, "    at "), strings.HasPrefix(body, "hint: "):
		all = faint
	}
	rows = wrap(indent, hang, body, p.columns())
	for i, row := range rows {
		switch {
		case all != "":
			rows[i] = p.paint(all, row)
		case i == 0:
			rows[i] = p.labelled(row)
		}
	}
	return rows
}

// labels are how lines of ours begin.
var labels = []struct {
	text  string
	style style
}{
	{"error:", bad}, {"warning:", caution}, {"note:", strong}, {"scriptrun:", strong},
	{"granted:", good}, {"granted by", good}, {"not granted:", bad},
}

// labelled styles what a line begins with: what it is, its place, the name of a tool and
// how that ended.
func (p *page) labelled(line string) string {
	for _, l := range labels {
		if rest, ok := strings.CutPrefix(line, l.text+" "); ok {
			return p.paint(l.style, l.text) + " " + p.labelled(rest)
		}
	}
	name, rest, ok := strings.Cut(line+" ", ": ")
	rest = strings.TrimSuffix(rest, " ")
	if end := strings.TrimRight(name, "0123456789"); ok && end != name && strings.HasSuffix(end, ":") {
		return p.paint(faint, name+":") + strings.TrimSuffix(" "+rest, " ")
	}
	if call := strings.Fields(line); len(call) > 2 && strings.HasPrefix(line, "  ") && strings.Trim(call[0], "0123456789") == "" { // a row of the ledger
		before, after, _ := strings.Cut(line, " "+call[2])
		ended := good
		if call[2] != string(hostapi.StatusOK) {
			ended = bad
		}
		return before + " " + p.paint(ended, call[2]) + after
	}
	if !ok || strings.HasPrefix(line, " ") {
		return line
	}
	word := rest[:len(rest)-len(strings.TrimLeft(rest, "abcdefghijklmnopqrstuvwxyz_"))]
	if at := slices.Index(outcomes, runtime.Outcome(word)); at >= 0 {
		ended := bad
		if at == 0 {
			ended = good
		}
		return p.paint(strong, name) + ": " + p.paint(ended, word) + rest[len(word):]
	}
	return line
}

// outcomes are all there are, the good one first.
var outcomes = []runtime.Outcome{
	runtime.OutcomeOK, runtime.OutcomeScriptError, runtime.OutcomeFailed, runtime.OutcomeInvalidInput, runtime.OutcomeInvalidOutput,
	runtime.OutcomeLimit, runtime.OutcomeDenied, runtime.OutcomeTimeout, runtime.OutcomeCancelled, runtime.OutcomeCrashed,
}

// isExcerpt tells a line of source with a caret below it, as [plain.Excerpt] has them.
func isExcerpt(line, caret string) bool {
	number, _, ok := strings.Cut(strings.TrimLeft(line, " "), " |")
	below := strings.TrimLeft(caret, " ")
	return ok && strings.Trim(number, "0123456789") == "" && strings.HasPrefix(below, "| ") && strings.TrimLeft(below[1:], " \t") == "^"
}

// excerpt shows as much of a line of source as there is room for around the caret.
func (p *page) excerpt(line, caret string) (string, string) {
	at := strings.Index(caret, "|") + 2
	source, pad := "", strings.TrimSuffix(caret[at:], "^")
	if len(line) > at {
		source = line[at:]
	}
	source, pad = strings.ReplaceAll(source, "\t", "  "), strings.ReplaceAll(pad, "\t", "  ")
	if room := max(p.columns()-at, 4); p.columns() > 0 && wide(source) > room {
		if skip := min(len(pad)-room*2/3, wide(source)-room+1); skip > 0 {
			left := columns(source, skip)
			source, pad = "…"+source[len(left):], " "+pad[min(wide(left), len(pad)):]
		}
		if wide(source) > room {
			source = columns(source, room-1) + "…"
		}
	}
	return p.paint(faint, line[:min(at, len(line))]) + source, p.paint(faint, caret[:at]) + pad + p.paint(bad, "^")
}
