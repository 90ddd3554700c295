package runtime

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
)

// Of many calls those that failed are shown, and the first and last ones; the rest are counted.
func TestManyCallsAreShownInPart(t *testing.T) {
	t.Parallel()
	for calls, failed := range map[int][]int{0: nil, 1: nil, 12: {5}, 13: {5, 6, 9}, 40: {1, 20, 39, 40}, 500: nil, 501: every(501)} {
		report := &Report{Outcome: OutcomeOK, Usage: Usage{}}
		for seq := 1; seq <= calls; seq++ {
			status := hostapi.StatusOK
			if slices.Contains(failed, seq) {
				status = hostapi.StatusFailed
			}
			report.Calls = append(report.Calls, hostapi.Record{Seq: seq, Tool: "ls", Status: status})
		}
		text := report.String()
		rows, counted := strings.Count(text, " ls "), 0
		for line := range strings.Lines(text) {
			var more int
			if n, _ := fmt.Sscanf(strings.TrimSpace(line), "… %d more", &more); n == 1 {
				counted += more
			}
		}
		if rows+counted != calls || rows > 12 && calls > 12 || calls <= 12 && counted > 0 {
			t.Errorf("%d calls: %d are shown, %d counted:\n%s", calls, rows, counted, text)
		}
		for _, seq := range failed {
			if line := fmt.Sprintf("%3d ls failed", seq); len(failed) < 6 && !strings.Contains(text, line) {
				t.Errorf("%d calls: %q is not shown:\n%s", calls, line, text)
			}
		}
	}
}

func every(n int) (all []int) {
	for i := range n {
		all = append(all, i+1)
	}
	return all
}
