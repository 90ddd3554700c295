package runtime

import (
	"fmt"
	"strings"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/clip"
	"github.com/scriptrun/scriptrun/hostapi/plain"
)

// String is the report for people: how the run ended, the error and its place, the value,
// and each call. Every line of the value, and every line but the first of a message, is
// marked, so that nobody takes one for another part of the report. Nothing in it moves the
// cursor of a terminal.
func (r *Report) String() string {
	var b strings.Builder
	b.WriteString(r.Headline())
	if r.Failure != nil {
		b.WriteString("\n" + r.Failure.Describe())
	}
	if r.Outcome == OutcomeOK {
		b.WriteString("\n" + plain.Mark + plain.Quote(r.Text))
	}
	r.writeCalls(&b)
	for _, note := range r.NoteLines() {
		b.WriteString("\n" + note)
	}
	return b.String()
}

// fewCalls is how many calls are shown one by one.
const fewCalls = 12

// writeCalls writes a line for each call. Of very many it leaves out what went well, but for
// the first and the last: they would push the error out of sight.
func (r *Report) writeCalls(b *strings.Builder) {
	shown, left := 0, 0
	gap := func() {
		if left > 0 {
			fmt.Fprintf(b, "\n    … %d more", left)
		}
		left = 0
	}
	for i, c := range r.Calls {
		begin, end := i < 3, i >= len(r.Calls)-3
		if len(r.Calls) > fewCalls && !begin && !end && (c.Status == hostapi.StatusOK || shown >= fewCalls-3) {
			left++
			continue
		}
		gap()
		shown++
		b.WriteString("\n  " + callLine(c))
	}
}

// Headline is one line: tool, outcome, time, calls.
func (r *Report) Headline() string {
	line := fmt.Sprintf("%s: %s in %v", plain.Line(r.Tool), r.ending(), round(r.Usage.Wall))
	switch n := len(r.Calls); n {
	case 0:
	case 1:
		line += ", 1 call"
	default:
		line += fmt.Sprintf(", %d calls", n)
	}
	if r.Isolation.Abandoned {
		line += ", abandoned in native code"
	}
	if left := r.Isolation.UnsettledTools; len(left) > 0 {
		line += fmt.Sprintf(", tool %q was left behind", left[0].Tool)
		if left[0].Seq > 0 {
			line += fmt.Sprintf(" in call %d", left[0].Seq)
		}
	}
	return line
}

// ending is the outcome, and which limit it was.
func (r *Report) ending() string {
	if r.Limit == "" {
		return string(r.Outcome)
	}
	return string(r.Outcome) + " " + r.Limit
}

// Describe is the error with its place, its line with a caret, and the rest of the stack.
func (e *ScriptError) Describe() string {
	var b strings.Builder
	if e.Pos.Line == 0 { // otherwise it begins with its place
		b.WriteString("error: ")
	}
	b.WriteString(plain.Quote(e.Error()))
	if e.Frame != "" {
		b.WriteString("\n" + e.Frame)
	}
	if e.Data != nil {
		b.WriteString("\n" + plain.Mark + plain.Quote(string(plain.Value(e.Data))))
	}
	for i, f := range e.Stack {
		if i == 0 {
			continue // the message has it
		}
		if f.Func == "" {
			fmt.Fprintf(&b, "\n    at %s", f.Pos)
		} else {
			fmt.Fprintf(&b, "\n    at %s (%s)", plain.Line(f.Func), f.Pos)
		}
	}
	return b.String()
}

// String is the entry for people. Every line is marked, so that nobody takes it for a line
// that the script did not write.
func (e Entry) String() string { return plain.Mark + e.Level + ": " + plain.Quote(e.Text) }

// callLine is a row of the ledger for people.
func callLine(c hostapi.Record) string {
	line := fmt.Sprintf("%3d %s %s %v", c.Seq, plain.Line(c.Tool), c.Status, round(c.Ended.Sub(c.Started)))
	if c.Invoked() && c.ExitCode != 0 {
		line += fmt.Sprintf(", exit code %d", c.ExitCode)
	}
	if c.OutputBytes > 0 {
		line += fmt.Sprintf(", %d bytes", c.OutputBytes)
	}
	if c.Truncated {
		line += ", truncated"
	}
	line += refusedConnections(c.Traffic)
	if c.Status == hostapi.StatusFailed && c.Err != "" {
		said := clip.Line(c.Err)
		if len(said) > 200 {
			said = clip.Head(said, 200) + "…"
		}
		line += ": " + plain.Line(said)
	}
	if c.Site != "" {
		line += ", at " + plain.Line(c.Site)
	}
	return line
}

// round keeps about three digits.
func round(d time.Duration) time.Duration {
	switch {
	case d >= 10*time.Second:
		return d.Round(100 * time.Millisecond)
	case d >= time.Second:
		return d.Round(10 * time.Millisecond)
	case d >= time.Millisecond:
		return d.Round(100 * time.Microsecond)
	}
	return d.Round(time.Microsecond)
}
