package shell_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
)

// askedNPM is an npm that notes each time that it is asked.
func askedNPM(t *testing.T, last string) (npm string, asked func() int) {
	t.Helper()
	count := filepath.Join(t.TempDir(), "count")
	return "echo >> " + count + "\n" + last, func() int {
		text, _ := os.ReadFile(count)
		return strings.Count(string(text), "\n")
	}
}

// TestPresetsAreAskedOnce: for commands that start together, and for boxes that are
// made anew soon after; so it is with what failed.
func TestPresetsAreAskedOnce(t *testing.T) {
	t.Parallel()
	if !keeps(t, "network") {
		return
	}
	for last, outcome := range map[string]hostapi.Outcome{saysOwn: hostapi.OutcomeOK, "exit 3": hostapi.OutcomeNotStarted} {
		npm, asked := askedNPM(t, last)
		tool := presetTool(t, npm)
		folder := filepath.Join(t.TempDir(), "further")
		tool.Sandbox.Write = []string{folder}
		for range 2 {
			if err := os.Mkdir(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			var all sync.WaitGroup
			for range 3 {
				all.Go(func() {
					if result, _ := run(t, tool, "echo hello"); result.Outcome != outcome {
						t.Errorf("%s: %+v", last, result)
					}
				})
			}
			all.Wait()
			if err := os.Rename(folder, folder+".old"); err != nil { // another one has another box
				t.Fatal(err)
			}
			if err := os.Remove(folder + ".old"); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
		}
		if n := asked(); n != 1 {
			t.Errorf("%s: it was asked %d times", last, n)
		}
	}
}

// TestSlowPresetsEndWithTheirCall: a tool that does not answer holds up neither the
// call that needs it, beyond its time, nor the report, nor the end.
func TestSlowPresetsEndWithTheirCall(t *testing.T) {
	t.Parallel()
	if !keeps(t, "network") {
		return
	}
	npm, asked := askedNPM(t, "exec sleep 1001")
	tool := presetTool(t, npm)
	result, _, err := invoke(t.Context(), t, tool, map[string]any{"command": "true", "timeoutMs": 200}, 0)
	if err != nil || result.Outcome != hostapi.OutcomeNotStarted || !strings.Contains(result.Output, "preset:npm") {
		t.Errorf("%+v, %v", result, err)
	}
	before := asked()
	measures := tool.Confinement()
	if len(measures) != 1 || !strings.Contains(measures[0].Gap, "preset:npm") || asked() != before {
		t.Errorf("asked %d times: %+v", asked(), measures)
	}
	ctx, end := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		if _, _, err := invoke(ctx, t, tool, map[string]any{"command": "true"}, 0); err == nil {
			t.Error("a call that was cancelled has a result")
		}
	}()
	for giveUp := time.Now().Add(time.Minute); asked() == before; { // it asks again
		if time.Now().After(giveUp) {
			t.Error("nobody was asked")
			break
		}
		time.Sleep(time.Millisecond) // nothing tells
	}
	end()
	<-over
}

// TestOneCallDoesNotEndWhatAnotherAsks: who has more time gets the answer.
func TestOneCallDoesNotEndWhatAnotherAsks(t *testing.T) {
	t.Parallel()
	if !keeps(t, "network") {
		return
	}
	said := filepath.Join(t.TempDir(), "said")
	npm, asked := askedNPM(t, "until [ -e "+said+" ]; do sleep 0.05; done; "+saysOwn)
	tool := presetTool(t, npm)
	ctx, end := context.WithCancel(t.Context())
	first, second := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(first)
		_, _, _ = invoke(ctx, t, tool, map[string]any{"command": "true"}, 0) // it is cancelled
	}()
	for asked() == 0 && t.Context().Err() == nil {
		time.Sleep(time.Millisecond) // nothing tells
	}
	go func() {
		defer close(second)
		if result, got := run(t, tool, "echo hello"); got.Stdout != "hello\n" {
			t.Errorf("%+v", result)
		}
	}()
	end()
	<-first
	if err := os.WriteFile(said, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	<-second
}
