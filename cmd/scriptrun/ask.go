package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
)

// prompt asks whoever sits at the terminal.
type prompt struct {
	out   io.Writer // the terminal as it is
	live  *liveLine
	keys  *keys
	width func() int
}

// approver is who is asked; nil where nobody sits.
func (e env) approver(live *liveLine) hostapi.Approver {
	if live == nil || e.keys == nil {
		return nil
	}
	return &prompt{out: e.screen, live: live, keys: e.keys, width: e.width}
}

// Approve implements [hostapi.Approver].
func (p *prompt) Approve(ctx context.Context, q hostapi.Question) (answer hostapi.Answer, err error) {
	defer p.live.pause()()
	said := "no"
	err = p.keys.ask(ctx, func() { p.show(q, maxShown) }, func(key byte) bool {
		switch key {
		case 'v', 'V':
			p.show(q, math.MaxInt)
			return false
		case 'y', 'Y':
			answer, said = hostapi.AnswerOnce, "yes"
		case 'a', 'A':
			if q.Rule.Tool == "" {
				return false
			}
			answer, said = hostapi.AnswerRun, "yes, for this run"
		case 'n', 'N', 'q', 3, 4, 27: // Ctrl-C, Ctrl-D, Escape
		default:
			return false
		}
		return true
	})
	fmt.Fprintf(p.out, "%s\r\n", said)
	return answer, err
}

// maxShown is how many lines of what a call would do are shown.
const maxShown = 40

// show writes the question. What a script wrote stands behind a bar in every row of the
// terminal, and the question is said once more below it, so that no text of a script can
// look like one of ours. The terminal is raw: a line ends in both.
func (p *prompt) show(q hostapi.Question, most int) {
	var b strings.Builder
	where := ""
	if q.Call.Site != "" {
		where = ", at " + plain(q.Call.Site)
	}
	what := "May the script call " + plain(q.Call.Tool) + where + "?"
	text := q.Preview
	switch {
	case q.Call.Tool == hostapi.ToolApprove:
		what = "The script asks" + where + ":"
		text = q.Text + "\n" + q.Preview
	case q.Rule.Tool != "":
		what += fmt.Sprintf(" %s (%s) has it asked.", plain(q.Rule.String()), plain(q.Rule.From))
	default:
		text = q.Text + "\n" + q.Preview
	}
	rows := rowsOf(text, max(p.width()-len(barred)-1, 20))
	fmt.Fprintf(&b, "%s\r\n", what)
	for _, row := range rows[:min(len(rows), most)] {
		fmt.Fprintf(&b, "%s%s\r\n", barred, row)
	}
	all := ""
	if more := len(rows) - most; more > 0 {
		fmt.Fprintf(&b, "%d rows more are NOT SHOWN.\r\n", more)
		all = ", v to see all of it"
	}
	if len(rows) > 5 {
		fmt.Fprintf(&b, "%s\r\n", what)
	}
	run := ""
	if q.Rule.Tool != "" {
		run = ", a for all of this run"
	}
	fmt.Fprintf(&b, "y for yes%s%s, n for no: ", run, all)
	fmt.Fprint(p.out, b.String())
}

// barred begins each row of what a script wrote.
const barred = "  | "

// rowsOf is text of others in rows that a terminal does not wrap.
func rowsOf(text string, width int) (rows []string) {
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		line = plain(line)
		for {
			row := columns(line, width)
			row = strings.TrimSuffix(row, "…")
			if row == "" || len(row) >= len(line) || !strings.HasPrefix(line, row) {
				rows = append(rows, line)
				break
			}
			rows = append(rows, row)
			line = line[len(row):]
		}
	}
	return rows
}
