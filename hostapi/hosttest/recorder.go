package hosttest

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/scriptrun/scriptrun/hostapi"
)

// Recorder passes calls on to a tool and remembers them with what came back.
// It stands in for the tool everywhere: rules, schemas and checks are the
// tool's own. It is safe for concurrent use if the tool is.
type Recorder struct {
	// Tool is what is recorded; it must be set.
	Tool hostapi.Tool

	mu      sync.Mutex
	entries []Recorded
}

var errNoPattern = errors.New("the tool takes no pattern; allow it by name alone")

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

// Describe implements [hostapi.Describer].
func (r *Recorder) Describe() hostapi.Description {
	if d, ok := r.Tool.(hostapi.Describer); ok {
		return d.Describe()
	}
	return hostapi.Description{}
}

// Check implements [hostapi.Checker].
func (r *Recorder) Check(args json.RawMessage) error {
	if c, ok := r.Tool.(hostapi.Checker); ok {
		return c.Check(args)
	}
	return nil
}

// GrantNames implements [hostapi.Granter].
func (r *Recorder) GrantNames() []string {
	if g, ok := r.Tool.(hostapi.Granter); ok {
		return g.GrantNames()
	}
	return nil
}

// GrantedBy implements [hostapi.Granter].
func (r *Recorder) GrantedBy(args json.RawMessage) []string {
	if g, ok := r.Tool.(hostapi.Granter); ok {
		return g.GrantedBy(args)
	}
	return nil
}

// CheckPattern implements [hostapi.Scoper].
func (r *Recorder) CheckPattern(pattern string) error {
	if s, ok := r.Tool.(hostapi.Scoper); ok {
		return s.CheckPattern(pattern)
	}
	return errNoPattern
}

// Plan implements [hostapi.Scoper].
func (r *Recorder) Plan(ctx context.Context, call hostapi.Call) (hostapi.Plan, error) {
	if s, ok := r.Tool.(hostapi.Scoper); ok {
		return s.Plan(ctx, call)
	}
	return nil, errNoPattern
}
