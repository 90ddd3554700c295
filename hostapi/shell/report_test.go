package shell

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// TestToldAndReportAgree on what is cut, though the first makes no text.
func TestToldAndReportAgree(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limits := Limits{OutputBytes: int64(rapid.IntRange(1, 3000).Draw(t, "limit"))}
		kept := rapid.OneOf(rapid.Just(1<<20), rapid.IntRange(1, 3000)).Draw(t, "kept")
		r := newRecorder(Limits{OutputBytes: int64(kept)}, nil)
		for range rapid.IntRange(0, 4).Draw(t, "writes") {
			to := &r.stdout
			if rapid.Bool().Draw(t, "stderr") {
				to = &r.stderr
			}
			what := rapid.SampledFrom([]string{"a", "é", "\xff", "\x01", "line\n"}).Draw(t, "what")
			r.write(to, bytes.Repeat([]byte(what), rapid.IntRange(0, 2000).Draw(t, "times")))
		}
		r.end()
		status := ExitStatus{ExitCode: rapid.IntRange(0, 1).Draw(t, "exit code"), TimedOut: rapid.Bool().Draw(t, "timed out")}
		var refused []Refusal
		if rapid.Bool().Draw(t, "refused") {
			refused = []Refusal{{What: "to read a file of that name"}}
		}
		out, command := r.snapshot(0), Command{Limits: limits}
		short := told(status, out, command, nil, refused)
		if whole := report(status, out, command, nil, refused, &wholeFiles{}); short.Truncated != whole.Truncated {
			t.Fatalf("told: %t, report: %t of %d and %d bytes", short.Truncated, whole.Truncated, out.Stdout.Total, out.Stderr.Total)
		}
	})
}
