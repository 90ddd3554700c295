package hosttest

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/schema"
)

// CancelGrace is how long a tool may take to return once its call is cancelled.
const CancelGrace = 3 * time.Second

// parallel is how many calls of one run are under way at once.
const parallel = 8

// TestTool checks what every host tool must keep, as subtests of t: its name
// and schema are sound, it takes args, leaves them as they were, answers with
// JSON where JSON is expected, works in parallel, and obeys a cancelled call.
func TestTool(t *testing.T, tool hostapi.Tool, args string) {
	t.Helper()
	t.Run("name", func(t *testing.T) {
		if !hostapi.ValidName(tool.Name()) {
			t.Errorf("the name %q does not match [a-zA-Z0-9_-]{1,64}", tool.Name())
		}
		if first := tool.Name(); tool.Name() != first {
			t.Error("the name changes")
		}
	})
	t.Run("description", func(t *testing.T) { checkDescription(t, tool, args) })
	t.Run("arguments", func(t *testing.T) {
		given := json.RawMessage(args)
		gate := Gate(t, hostapi.Quota{MaxToolCalls: 1, MaxResultBytes: 64 << 10}, tool)
		result, err := gate.Invoke(t.Context(), hostapi.Call{Seq: 1, Tool: tool.Name(), Args: given})
		if err != nil {
			t.Fatalf("it returned an error, which is for faults of the host: %v", err)
		}
		if string(given) != args {
			t.Errorf("it changed its arguments to %s", given)
		}
		for name, part := range map[string]json.RawMessage{"data": result.Data, "metadata": result.Metadata} {
			if len(part) > 0 && !json.Valid(part) {
				t.Errorf("its %s is not JSON: %s", name, part)
			}
		}
	})
	t.Run("parallel", func(t *testing.T) {
		gate := Gate(t, hostapi.Quota{MaxToolCalls: parallel}, tool)
		var group sync.WaitGroup
		for i := range parallel {
			group.Go(func() {
				if _, err := gate.Invoke(t.Context(), hostapi.Call{Seq: i + 1, Tool: tool.Name(), Args: json.RawMessage(args)}); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
	})
	t.Run("cancel", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = tool.Invoke(ctx, hostapi.Call{Seq: 1, Tool: tool.Name(), Args: json.RawMessage(args)})
		}()
		select {
		case <-done:
		case <-time.After(CancelGrace):
			t.Errorf("it was still running %v after its call was cancelled", CancelGrace)
			<-done
		}
	})
}

func checkDescription(t *testing.T, tool hostapi.Tool, args string) {
	d, ok := tool.(hostapi.Describer)
	if !ok {
		return
	}
	about := d.Describe()
	if about.Summary == "" {
		t.Error("it has no summary")
	}
	if about.Effect == hostapi.EffectUnknown {
		t.Error("it does not say its effect; unknown counts as the most dangerous")
	}
	if len(about.Input) == 0 {
		return
	}
	input, err := schema.Compile(about.Input)
	if err != nil {
		t.Fatalf("its input schema: %v", err)
	}
	if err := input.Validate(json.RawMessage(args)); err != nil {
		t.Errorf("%s breaks its own schema: %v", args, err)
	}
}
