package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
)

// prompt asks whoever sits at the terminal.
type prompt struct {
	out  io.Writer // the terminal as it is
	live *liveLine
	keys *keys
}

// approver is who is asked; nil where nobody sits.
func (e env) approver(live *liveLine) hostapi.Approver {
	if live == nil || e.keys == nil {
		return nil
	}
	return &prompt{out: e.screen, live: live, keys: e.keys}
}

// Approve implements [hostapi.Approver].
func (p *prompt) Approve(ctx context.Context, q hostapi.Question) (answer hostapi.Answer, err error) {
	defer p.live.pause()()
	said := "no"
	err = p.keys.ask(ctx, func() { p.show(q) }, func(key byte) bool {
		switch key {
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

// show writes the question. What a script wrote stands behind a bar, so that no line of
// it can look like one of ours. The terminal is raw: a line ends in both.
func (p *prompt) show(q hostapi.Question) {
	var b strings.Builder
	where := ""
	if q.Call.Site != "" {
		where = ", at " + plain(q.Call.Site)
	}
	switch {
	case q.Call.Tool == hostapi.ToolApprove:
		fmt.Fprintf(&b, "The script asks%s:\r\n", where)
		bar(&b, q.Text)
	case q.Rule.Tool != "":
		fmt.Fprintf(&b, "May the script call %s%s? %s (%s) has it asked.\r\n", plain(q.Call.Tool), where, plain(q.Rule.String()), plain(q.Rule.From))
	default:
		fmt.Fprintf(&b, "May the script call %s%s?\r\n", plain(q.Call.Tool), where)
		bar(&b, q.Text)
	}
	bar(&b, q.Preview)
	run := ""
	if q.Rule.Tool != "" {
		run = ", a for all of this run"
	}
	fmt.Fprintf(&b, "y for yes%s, n for no: ", run)
	fmt.Fprint(p.out, b.String())
}

// bar writes text of others, a line each.
func bar(b *strings.Builder, text string) {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		if i == maxShown {
			fmt.Fprintf(b, "  | … and %d lines more, which are not shown\r\n", len(lines)-i)
			return
		}
		fmt.Fprintf(b, "  | %s\r\n", plain(line))
	}
}
