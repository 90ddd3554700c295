//go:build amd64 || arm64

package runtime_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/shell"
	"github.com/scriptrun/scriptrun/runtime"
)

// TestWorkerThatNeverSaysHello: a run does not wait for one beyond its time, nor
// does the runner's end.
func TestWorkerThatNeverSaysHello(t *testing.T) {
	t.Parallel()
	runner, err := runtime.NewWithWorkers(runtime.Options{}, "never says hello")
	if err != nil {
		t.Fatal(err)
	}
	program := compile(t, runner, "return 1")
	began := time.Now()
	for range 3 {
		report := runner.Run(t.Context(), runtime.Request{Program: program, Limits: runtime.Limits{Timeout: 300 * time.Millisecond}})
		if report.Outcome != runtime.OutcomeTimeout || !strings.Contains(report.Failure.Message, "waiting for a worker") {
			t.Errorf("%s: %v", report, report.Failure)
		}
	}
	if err := runner.Close(); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %v", took)
	}
}

// TestCommandThatIgnoresItsEnd: the report of a run does not wait for a command
// that was told to end and has its grace; the end of the runner does, and then
// nothing of it is left.
func TestCommandThatIgnoresItsEnd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	runner, err := runtime.New(runtime.Options{Tools: []hostapi.Tool{&shell.Tool{Dir: dir}}})
	if err != nil {
		t.Fatal(err)
	}
	report := runner.Run(t.Context(), runtime.Request{
		Program: compile(t, runner, fmt.Sprintf("await ctx.bash(`trap '' TERM; : > %s/begun; while :; do sleep 0.01; done`)", dir)),
		Allow:   []hostapi.Rule{{Tool: "bash"}}, Limits: runtime.Limits{Timeout: 8 * time.Second},
	})
	left := report.Isolation.UnsettledTools
	if report.Outcome != runtime.OutcomeTimeout || len(left) != 1 || left[0] != (hostapi.Unsettled{Seq: 1, Tool: "bash"}) {
		t.Errorf("%s, left behind: %v", report, left)
	}
	if _, err := os.Stat(filepath.Join(dir, "begun")); err != nil {
		t.Error(err)
	}
	if err := runner.Close(); err != nil {
		t.Error(err)
	}
	// A process is known by its words here: it has another number in the sandbox.
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range all {
		if words, err := os.ReadFile(name); err == nil && strings.Contains(string(words), dir) {
			t.Errorf("%s is still there: %q", name, words)
		}
	}
}
