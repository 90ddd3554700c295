package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/plain"
)

// prompt asks the person at the terminal.
type prompt struct {
	out io.Writer // the terminal as it is
	painter
	live  *liveLine
	keys  *keys
	width func() int
	end   context.CancelFunc // of the run

	interrupted bool // Ctrl-C answered the previous question
}

// approver asks the person at the terminal; nil if there is none.
func (e env) approver(live *liveLine, end context.CancelFunc) hostapi.Approver {
	if live == nil || e.keys == nil {
		return nil
	}
	return &prompt{out: e.screen, painter: e.lines.painter, live: live, keys: e.keys, width: e.width, end: end}
}

// Approve implements [hostapi.Approver].
func (p *prompt) Approve(ctx context.Context, q hostapi.Question) (answer hostapi.Answer, err error) {
	defer p.live.pause()()
	if width := p.width(); width < leastWidth {
		return hostapi.AnswerNo, fmt.Errorf("the terminal has %d columns, too few to show a question; make it %d wide at least", width, leastWidth)
	}
	said, again := "no", p.interrupted
	p.interrupted = false
	sheet := p.sheet(q)
	err = p.keys.ask(ctx, func() { sheet.next(p.out, firstRows) }, func() { sheet.choices(p.out) }, func(key byte) bool {
		switch key {
		case 'v', 'V':
			if sheet.next(p.out, moreRows) {
				sheet.choices(p.out)
			}
			return false
		case 'y', 'Y':
			answer, said = hostapi.AnswerOnce, "yes"
		case 'a', 'A':
			if q.Once {
				return false
			}
			answer, said = hostapi.AnswerRun, "yes, for this run"
		case 3: // Ctrl-C means no; a second one ends a script that goes on asking
			if p.interrupted = true; again {
				said = "no, and the run ends"
				p.end()
			}
		case 'n', 'N', 'q', 4, 27: // Ctrl-D, Escape
		default:
			return false
		}
		return true
	})
	fmt.Fprintf(p.out, "%s\r\n", said)
	return answer, err
}

// leastWidth is the least width of a terminal at which every row keeps its bar.
const leastWidth = 24

// firstRows and moreRows are how many rows of a preview are shown at first, and for
// each v.
const firstRows, moreRows = 40, 200

// sheet is a question, shown a part at a time. A bar begins every row that a script or
// a file wrote, and the question is repeated below them, so that none of their text can
// look like ours. The terminal is raw, so lines end in \r\n.
type sheet struct {
	what  string // in rows
	width int
	rows  []string
	shown int
	once  bool
}

func (p *prompt) sheet(q hostapi.Question) *sheet {
	width := p.width()
	may := "May the script call " + plain.Line(q.Call.Tool)
	switch {
	case q.Call.Tool == hostapi.ToolApprove:
		may = "The script asks"
	case q.Call.Operation != "":
		may = "May the script write to the process that " + plain.Line(q.Call.Tool) + " started"
	}
	end := "?"
	if q.Call.Tool == hostapi.ToolApprove {
		end = ":"
	}
	s := &sheet{once: q.Once, width: width}
	switch at := rowsOf(q.Call.Site, width-len(may)-len(", at ?")-1); {
	case len(at) > 1: // a file may have any name
		s.rows = rowsOf("at "+q.Call.Site, width-len(barred)-1)
	case at[0] != "":
		may += ", at " + at[0]
	}
	what := wrap("", "", may+end, width-1)
	for i, row := range what {
		what[i] = p.paint(strong, row)
	}
	s.what = strings.Join(what, "\r\n")
	text := q.Preview
	if q.Once { // Text says why
		text = q.Text + "\n" + q.Preview
	}
	s.rows = append(s.rows, rowsOf(q.Because()+text, width-len(barred)-1)...)
	return s
}

// next shows the question and up to most further rows. It reports whether any were left
// to show.
func (s *sheet) next(to io.Writer, most int) bool {
	if s.shown > 0 && s.shown == len(s.rows) {
		return false
	}
	var b strings.Builder
	if s.shown > 0 { // below the choices
		b.WriteString("\r\n")
	}
	fmt.Fprintf(&b, "%s\r\n", s.what)
	rows := s.rows[s.shown:min(s.shown+most, len(s.rows))]
	for _, row := range rows {
		fmt.Fprintf(&b, "%s%s\r\n", barred, row)
	}
	s.shown += len(rows)
	if more := len(s.rows) - s.shown; more > 0 {
		fmt.Fprintf(&b, "%d more rows are NOT SHOWN.\r\n", more)
	}
	if len(rows) > 5 {
		fmt.Fprintf(&b, "%s\r\n", s.what)
	}
	fmt.Fprint(to, b.String())
	return true
}

// choices shows the keys that answer the question.
func (s *sheet) choices(to io.Writer) {
	run, all := "", ""
	if !s.once {
		run = ", a for all of this run"
	}
	if s.shown < len(s.rows) {
		all = ", v to see more of it"
	}
	keys := wrap("", "", "y for yes"+run+all+", n for no:", s.width-len(" yes"))
	fmt.Fprint(to, strings.Join(keys, "\r\n")+" ")
}

// barred begins each row of what a script wrote.
const barred = "  | "

// rowsOf splits text of others into rows that no terminal wraps, at blanks where there
// are any.
func rowsOf(text string, width int) (rows []string) {
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		line = strings.ReplaceAll(plain.Line(line), "\t", "    ") // a terminal does not wrap a tab
		for {
			row := fitting(line, width)
			if row == line {
				break
			}
			blank := strings.LastIndexByte(row, ' ') + 1
			if word, _, _ := strings.Cut(line[blank:], " "); len(word) <= width && strings.TrimSpace(row[:blank]) != "" {
				row = row[:blank]
			}
			rows, line = append(rows, row), line[len(row):]
		}
		rows = append(rows, line)
	}
	return rows
}

// fitting is the beginning of a line that surely fits, of one character at least.
// Terminals differ in how wide a character is: one that is not ASCII counts as two
// columns, the most there is.
func fitting(line string, width int) string {
	for i, r := range line {
		if width--; r >= utf8.RuneSelf {
			width--
		}
		if width < 0 && i > 0 {
			return line[:i]
		}
	}
	return line
}
