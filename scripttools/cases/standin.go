package cases

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/scriptrun/scriptrun/hostapi"
)

// StandIns are tools in whose place a case is replayed. They have the names, schemas, rules and
// plans of these, and do nothing.
func StandIns(tools ...hostapi.Tool) []hostapi.Tool {
	all := make([]hostapi.Tool, len(tools))
	for i, tool := range tools {
		all[i] = standIn{tool}
		if _, ok := hostapi.As[hostapi.Starter](tool); ok {
			all[i] = starter{standIn{tool}}
		}
	}
	return all
}

// standIn is a tool that is not called: what goes around it answers.
type standIn struct{ tool hostapi.Tool }

var errNothingRuns = errors.New("nothing runs in a replay")

// Name implements [hostapi.Tool].
func (s standIn) Name() string { return s.tool.Name() }

// Invoke implements [hostapi.Tool].
func (s standIn) Invoke(context.Context, hostapi.Call) (hostapi.Result, error) {
	return hostapi.Result{}, errNothingRuns
}

// Unwrap implements [hostapi.Unwrapper].
func (s standIn) Unwrap() hostapi.Tool { return s.tool }

// Validate implements [hostapi.Validator]: what a tool would find wrong with the machine does
// not matter.
func (s standIn) Validate() error { return nil }

// Confinement implements [hostapi.Confiner]: what does not run is not confined.
func (s standIn) Confinement() []hostapi.Measure { return nil }

// starter is a standIn whose calls can be in the background.
type starter struct{ standIn }

// Start implements [hostapi.Starter].
func (s starter) Start(context.Context, hostapi.Call) (hostapi.Handle, hostapi.Result, error) {
	return handle{}, hostapi.Succeed(""), nil
}

// handle is one of nothing.
type handle struct{}

// Wait implements [hostapi.Handle].
func (handle) Wait(context.Context) (hostapi.Result, error) { return hostapi.Succeed(""), nil }

// Operate implements [hostapi.Handle].
func (handle) Operate(context.Context, string, json.RawMessage) (hostapi.Result, error) {
	return hostapi.Result{}, errNothingRuns
}

// Close implements [hostapi.Handle].
func (handle) Close() error { return nil }
