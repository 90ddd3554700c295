package hosttest

import (
	"context"
	"sync"

	"github.com/scriptrun/scriptrun/hostapi"
)

// Recorder passes calls on to a tool and remembers them with what came back, but for
// those in the background. It stands in for the tool everywhere: rules, schemas,
// checks and handles are the tool's own. It is safe for concurrent use if the tool is.
type Recorder struct {
	// Tool is what is recorded; it must be set.
	Tool hostapi.Tool

	mu      sync.Mutex
	entries []Recorded
}

// Recorded is one call that reached the tool, and its answer.
type Recorded struct {
	Call   hostapi.Call
	Result hostapi.Result
	Err    error
}

// Recorded returns the calls in the order in which they ended.
func (r *Recorder) Recorded() []Recorded {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Recorded(nil), r.entries...)
}

// Name implements [hostapi.Tool].
func (r *Recorder) Name() string { return r.Tool.Name() }

// Invoke implements [hostapi.Tool].
func (r *Recorder) Invoke(ctx context.Context, call hostapi.Call) (hostapi.Result, error) {
	result, err := r.Tool.Invoke(ctx, call)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries = append(r.entries, Recorded{call, result, err})
	return result, err
}

// Start implements [hostapi.Starter], where the tool does. What it starts is not
// remembered.
func (r *Recorder) Start(ctx context.Context, call hostapi.Call) (hostapi.Handle, hostapi.Result, error) {
	starter, ok := hostapi.As[hostapi.Starter](r.Tool)
	if !ok {
		return nil, hostapi.Fail("the tool cannot be started in the background"), nil
	}
	return starter.Start(ctx, call)
}

// Unwrap implements [hostapi.Unwrapper].
func (r *Recorder) Unwrap() hostapi.Tool { return r.Tool }
