//go:build unix

package shell_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// asked counts the snapshots of output that a backend is asked for, and hands out one array.
type asked struct {
	*shell.Local
	mu      sync.Mutex
	outputs []shell.Output
}

func (a *asked) Output(id shell.TerminalID, since int64) (shell.Output, error) {
	out, err := a.Local.Output(id, since)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.outputs = append(a.outputs, out)
	return out, err
}

// TestNothingIsMadeOfTheOutputOfARunThatIsOver: its report says how the command ended, and no
// more.
func TestNothingIsMadeOfTheOutputOfARunThatIsOver(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	// The run ends while the call waits for room for its result.
	over := errors.New("over")
	wanted := hostapi.WithWaited(ctx, func() error {
		cancel(over)
		return over
	})
	result, err := tool.Invoke(wanted, hostapi.Call{
		Tool: "bash", Args: encoded(t, map[string]any{"command": "printf '%s' a b; exit 3"}), MaxResultBytes: 1 << 20,
	})
	if err != nil || result.ExitCode != 3 || result.Bytes != 2 || result.Reason != "ab" {
		t.Errorf("%+v, %v", result, err)
	}
	if !strings.Contains(string(result.Metadata), `"cwd":"/`) {
		t.Errorf("metadata: %s", result.Metadata)
	}
	if result.Output != "" || result.Data != nil {
		t.Errorf("%q and %s were made", result.Output, result.Data)
	}
}

// TestNothingIsCopiedForWaitsOfARunThatIsOver, however many there are.
func TestNothingIsCopiedForWaitsOfARunThatIsOver(t *testing.T) {
	t.Parallel()
	backend := &asked{Local: newLocal(t)}
	tool := newTool(t)
	tool.Backend = backend
	b := inBackground(t, tool, 0, map[string]any{"command": "echo a lot; echo of it >&2; exec cat", "input": true})
	wanted := hostapi.WithWaited(t.Context(), func() error { return errors.New("over") })
	var waits sync.WaitGroup
	for range 50 {
		waits.Go(func() {
			if result, _ := b.operate(wanted, hostapi.OperationWait, nil); result.Data != nil || strings.Contains(result.Output, "a lot") {
				t.Errorf("%+v", result)
			}
		})
	}
	if _, err := b.operate(t.Context(), "closeInput", map[string]any{}); err != nil {
		t.Fatal(err)
	}
	waits.Wait()
	backend.mu.Lock()
	defer backend.mu.Unlock()
	if n := len(backend.outputs); n > 2 {
		t.Errorf("the output was copied %d times", n)
	}
}

// TestOneStreamIsKeptOnce until there are two.
func TestOneStreamIsKeptOnce(t *testing.T) {
	t.Parallel()
	for line, once := range map[string]bool{
		"printf one": true, "printf two >&2": true, "printf a; printf b >&2": false, "printf %0100000d 1; printf b >&2; printf c": false,
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			backend := &asked{Local: newLocal(t)}
			tool := newTool(t)
			tool.Backend = backend
			result, got, err := invoke(t.Context(), t, tool, map[string]any{"command": line}, 4096)
			if err != nil || result.Outcome != hostapi.OutcomeOK {
				t.Fatalf("%+v, %v", result, err)
			}
			if len(got.Stdout)+len(got.Stderr) == 0 || once && result.Output != got.Stdout+got.Stderr {
				t.Errorf("%q and %q of %q", got.Stdout, got.Stderr, result.Output)
			}
			out := backend.outputs[len(backend.outputs)-1]
			if out.Both.Total != out.Stdout.Total+out.Stderr.Total {
				t.Errorf("%d bytes, %d and %d", out.Both.Total, out.Stdout.Total, out.Stderr.Total)
			}
			same := len(out.Stdout.Head) > 0 && &out.Both.Head[0] == &out.Stdout.Head[0] || len(out.Stderr.Head) > 0 && &out.Both.Head[0] == &out.Stderr.Head[0]
			if same != once {
				t.Errorf("kept once: %t, want %t", same, once)
			}
		})
	}
}

// TestWaitsInTheBackgroundGetAllOfIt: each gets the result, also one that came before the end,
// and what the ledger says is the same.
func TestWaitsInTheBackgroundGetAllOfIt(t *testing.T) {
	t.Parallel()
	b := inBackground(t, newTool(t), 0, map[string]any{"command": "read x; echo got $x; echo bad >&2; exit 4", "input": true})
	results := make(chan hostapi.Result, 3)
	wait := func() {
		result, err := b.operate(t.Context(), hostapi.OperationWait, nil)
		if err != nil {
			t.Error(err)
		}
		results <- result
	}
	go wait()
	go wait()
	if _, err := b.operate(t.Context(), hostapi.OperationWrite, map[string]any{"text": "it\n"}); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		result := <-results
		if i == 1 {
			wait()
		}
		var got struct{ Stdout, Stderr string }
		err := json.Unmarshal(result.Data, &got)
		if err != nil || got.Stdout != "got it\n" || got.Stderr != "bad\n" || result.ExitCode != 4 || result.Reason != "bad" || !strings.Contains(result.Output, "got it\n") {
			t.Errorf("%+v, %v", result, err)
		}
	}
	row := b.gate.Records()[0]
	if row.ExitCode != 4 || row.OutputBytes != int64(len("got it\nbad\n")) || row.Err != "bad" || row.Ended.Before(row.Started.Add(time.Nanosecond)) {
		t.Errorf("the row is %+v", row)
	}
}
