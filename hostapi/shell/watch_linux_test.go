package shell_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// watching runs a line through the door with an observer.
func watching(t *testing.T, tool *shell.Tool, args map[string]any, background bool, watch func(hostapi.CallOutput)) hostapi.Result {
	t.Helper()
	registry, err := hostapi.NewRegistry(tool)
	if err != nil {
		t.Fatal(err)
	}
	gate := hostapi.NewGate(t.Context(), hostapi.GateConfig{
		Registry: registry, Policies: []hostapi.Policy{hostapi.AllowList{{Tool: "bash"}}}, Outputs: []func(hostapi.CallOutput){watch}, Quota: hostapi.Quota{MaxResultBytes: 64 << 10},
	})
	defer gate.Close(time.Minute)
	call, err := gate.Issue(t.Context(), hostapi.Call{Seq: 1, Tool: "bash", Args: encoded(t, args), Background: background})
	if err != nil {
		t.Fatal(err)
	}
	if !background {
		result, err := call.Do(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	if _, err := call.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	result, err := gate.Operate(t.Context(), 1, hostapi.OperationWait, nil)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// What a command writes is told while it runs, in whole characters, in the
// foreground and in the background: it goes on only once the observer has heard.
func TestOutputIsWatchedAsItComes(t *testing.T) {
	t.Parallel()
	for _, background := range []bool{false, true} {
		t.Run(fmt.Sprint(background), func(t *testing.T) {
			t.Parallel()
			tool := newTool(t)
			var mu sync.Mutex
			heard := map[string]string{}
			result := watching(t, tool, map[string]any{"command": `
				await() { while [ ! -e $1 ]; do sleep 0.01; done; }
				printf 'one'; await one
				printf 'two \343' >&2; await two
				printf '\201\202' >&2; await あ`}, background, func(o hostapi.CallOutput) {
				if !utf8.Valid(o.Data) {
					t.Errorf("half a character in %q", o.Data)
				}
				mu.Lock()
				defer mu.Unlock()
				heard[o.Stream] += string(o.Data)
				if err := os.WriteFile(filepath.Join(tool.Dir, strings.TrimSpace(string(o.Data))), nil, 0o600); err != nil {
					t.Error(err)
				}
			})
			mu.Lock()
			defer mu.Unlock()
			if result.Outcome != hostapi.OutcomeOK || heard["stdout"] != "one" || heard["stderr"] != "two あ" {
				t.Errorf("%q, %+v", heard, result)
			}
		})
	}
}

// A gigabyte, and an observer who does not listen: the command is not held up,
// memory stays what it is, and in the end every byte is accounted for.
func TestTormentWatchedFlood(t *testing.T) {
	const flood = 1 << 30
	before, _ := memory(t, true)
	open, began := make(chan struct{}), make(chan struct{})
	var data, dropped int64
	var once sync.Once
	ctx, done := context.WithTimeout(t.Context(), time.Minute)
	defer done()
	tool := newTool(t)
	go func() { // it begins to listen when the command has ended
		defer close(open)
		<-began
		for ctx.Err() == nil {
			if _, err := os.Stat(filepath.Join(tool.Dir, "over")); err == nil {
				return
			}
			time.Sleep(10 * time.Millisecond) // it is another process, which says nothing else
		}
	}()
	result := watching(t, tool, map[string]any{"command": fmt.Sprintf("head -c %d /dev/zero; touch over", flood)}, false, func(o hostapi.CallOutput) {
		once.Do(func() { close(began) })
		<-open
		data += int64(len(o.Data))
		dropped += o.Dropped
	})
	if result.Outcome != hostapi.OutcomeOK || result.Bytes != flood || data+dropped != flood || dropped == 0 {
		t.Errorf("%s, %d bytes, %d told and %d missed of %d", result.Outcome, result.Bytes, data, dropped, flood)
	}
	if _, most := memory(t, false); most-before > tormentMemory {
		t.Errorf("memory grew by %d MiB", (most-before)>>20)
	}
}
