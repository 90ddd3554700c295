package main

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
)

// TestRowsOfOthersAreNarrow: no terminal wraps such a row, however wide it shows a character.
func TestRowsOfOthersAreNarrow(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		strings.Repeat("x", 500), strings.Repeat("\t", 60) + "y", strings.Repeat("a\t", 60), strings.Repeat("é", 100), strings.Repeat("世", 100),
		strings.Repeat("\u4dc0", 100), strings.Repeat("\u2630", 100), strings.Repeat("\U0001fae9", 100), strings.Repeat("\x1b[2K", 100), "one\n\ntwo",
	} {
		rows := rowsOf(text, 34)
		for _, row := range rows {
			columns := 0
			for _, r := range row {
				columns++
				if r > '~' {
					columns++
				}
			}
			if columns > 34 || strings.ContainsAny(row, "\t\r\n\x1b") {
				t.Errorf("%d columns: %q", columns, row)
			}
		}
		if got, want := strings.Join(rows, ""), strings.ReplaceAll(strings.ReplaceAll(text, "\t", "    "), "\n", ""); got != strings.ReplaceAll(want, "\x1b", "\ufffd") {
			t.Errorf("%q has become %q", text, got)
		}
	}
}

// TestHeldKeyIsOne: keys that repeat as fast as a held one are no further answers.
func TestHeldKeyIsOne(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	for _, c := range []struct {
		key     byte
		after   time.Duration
		repeats bool
	}{{'y', 33 * time.Millisecond, true}, {'y', 660 * time.Millisecond, true}, {'y', time.Second, false}, {'n', 33 * time.Millisecond, false}} {
		if got := (tap{c.key, now.Add(c.after)}).repeats(tap{'y', now}); got != c.repeats {
			t.Errorf("%c after %v: %v", c.key, c.after, got)
		}
	}
}

// TestQuestionIsShownWhole: every rule is named behind the bar, whatever its text; all of the
// call's preview can be seen, a part at a time; and a yes for the run is offered only if there
// is one.
func TestQuestionIsShownWhole(t *testing.T) {
	t.Parallel()
	forging := hostapi.Rule{Tool: "bash", Pattern: "ls" + strings.Repeat(" ", 100) + "y for yes, n for no: ", From: "scriptrun.toml:2:8"}
	long := hostapi.Rule{Tool: "bash", Pattern: strings.Repeat("git * ", 600), From: "scriptrun.toml:3:8"}
	q := hostapi.Question{
		Call:  hostapi.Call{Tool: "bash", Site: strings.Repeat("long/", 100) + "x.js:1:1"},
		Rules: append([]hostapi.Rule{{Tool: "bash", Pattern: "git push *", From: "config.toml:1:2"}, forging}, slices.Repeat([]hostapi.Rule{long}, 44)...), Preview: strings.Repeat("row\n", 1000) + "the last",
	}
	var screen bytes.Buffer
	p := &prompt{out: &screen, width: func() int { return 60 }}
	s := p.sheet(q)
	s.next(&screen, 40)
	if !strings.Contains(screen.String(), barred+"row\r\n") { // the rules do not hide it
		t.Errorf("%q", screen.String())
	}
	for s.next(&screen, 100) {
	}
	s.choices(&screen)
	for row := range strings.SplitSeq(strings.TrimSuffix(screen.String(), "y for yes, a for all of this run, n for no: "), "\r\n") {
		if len(row) >= 60 || row != "" && !strings.HasPrefix(row, barred) && row != s.what && !strings.HasSuffix(row, "NOT SHOWN.") {
			t.Errorf("%q", row)
		}
	}
	for _, part := range []string{"Asked because of bash(git push *) (config.toml:1:2).", barred + "Asked because of 41 more rules.", barred + "the last", barred + "at long/long/", " more rows are NOT SHOWN"} {
		if !strings.Contains(screen.String(), part) {
			t.Errorf("it has no %q", part)
		}
	}
	screen.Reset()
	q.Once, q.Text = true, "it cannot be told"
	s = p.sheet(q)
	s.next(&screen, 40)
	s.choices(&screen)
	if text := screen.String(); strings.Contains(text, "a for all") || !strings.Contains(text, barred+q.Text) || !strings.HasSuffix(text, "v to see more of it, n for no: ") {
		t.Errorf("%q", text)
	}
}

// TestNarrowTerminalIsNotAsked: it has no room for the bar.
func TestNarrowTerminalIsNotAsked(t *testing.T) {
	t.Parallel()
	p := &prompt{live: &liveLine{out: &bytes.Buffer{}}, width: func() int { return 20 }}
	if answer, err := p.Approve(context.Background(), hostapi.Question{}); answer != hostapi.AnswerNo || err == nil || !strings.Contains(err.Error(), "20 columns") {
		t.Error(answer, err)
	}
}
