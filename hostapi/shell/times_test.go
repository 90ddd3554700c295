package shell

import (
	"strings"
	"testing"
	"time"
)

// TestTimesOfCommands: two minutes unless a call says otherwise, by either name, and as it says.
func TestTimesOfCommands(t *testing.T) {
	t.Parallel()
	tool := &Tool{Dir: t.TempDir()}
	for ms, want := range map[int64]time.Duration{0: 2 * time.Minute, 1: time.Millisecond, 600_000: 10 * time.Minute} {
		if got, err := tool.timeout(arguments{TimeoutMs: ms}); got != want || err != nil {
			t.Errorf("%d: %v, %v", ms, got, err)
		}
	}
	if _, err := tool.timeout(arguments{TimeoutMs: 600_001}); err == nil || !strings.Contains(err.Error(), "expected 1 to 600000") {
		t.Error(err)
	}
	if name := tool.Describe().Aliases["timeout"]; name != "timeoutMs" {
		t.Errorf("timeout is another name of %q", name)
	}
}
