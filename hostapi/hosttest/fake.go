// Package hosttest helps those who embed scriptrun to test their own host
// tools, and scripts against tools that are not there.
//
//	fake := &hosttest.Fake{ToolName: "deploy", Answer: hostapi.Succeed("done")}
//	result := hosttest.Call(t, fake, `{"to":"staging"}`)
//	...
//	hosttest.TestTool(t, myTool, `{"path":"."}`)
//
// Everything here goes through a [hostapi.Gate], as a script's calls do.
//
// The one trap: [TestTool] really invokes the tool, several times and in
// parallel. Give it arguments whose effects you want.
package hosttest

import (
	"context"
	"encoding/json"
	"sync"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
)

// Fake is a tool that answers as it is told and remembers what it was asked.
// Its fields are set before its first use; it is safe for concurrent use then.
type Fake struct {
	// ToolName is the name; it must be set.
	ToolName string
	// About is what the fake says of itself; the zero value takes any arguments.
	About hostapi.Description
	// Answer is given to every call, unless Do is set.
	Answer hostapi.Result
	// Do answers a call; nil gives Answer.
	Do func(ctx context.Context, call hostapi.Call) (hostapi.Result, error)

	mu    sync.Mutex
	calls []hostapi.Call
}

// Name implements [hostapi.Tool].
func (f *Fake) Name() string { return f.ToolName }

// Describe implements [hostapi.Describer].
func (f *Fake) Describe() hostapi.Description { return f.About }

// Invoke implements [hostapi.Tool].
func (f *Fake) Invoke(ctx context.Context, call hostapi.Call) (hostapi.Result, error) {
	f.mu.Lock()
	f.calls = append(f.calls, call)
	f.mu.Unlock()
	if f.Do != nil {
		return f.Do(ctx, call)
	}
	return f.Answer, nil
}

// Calls returns the calls that reached the fake, in the order they did.
func (f *Fake) Calls() []hostapi.Call {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]hostapi.Call(nil), f.calls...)
}

// Call invokes a tool once through a gate that allows it, and returns what a
// script would get. A call that is refused fails the test.
func Call(t testing.TB, tool hostapi.Tool, args string) hostapi.Result {
	t.Helper()
	gate := Gate(t, hostapi.Quota{}, tool)
	result, err := gate.Invoke(t.Context(), hostapi.Call{Seq: 1, Tool: tool.Name(), Args: json.RawMessage(args)})
	if err != nil {
		t.Fatalf("tool %q refused %s: %v", tool.Name(), args, err)
	}
	return result
}

// Gate returns a gate that allows these tools and is closed when the test ends.
func Gate(t testing.TB, quota hostapi.Quota, tools ...hostapi.Tool) *hostapi.Gate {
	t.Helper()
	registry, err := hostapi.NewRegistry(tools...)
	if err != nil {
		t.Fatal(err)
	}
	var allow hostapi.AllowList
	for _, name := range registry.Names() {
		allow = append(allow, hostapi.Rule{Tool: name})
	}
	gate := hostapi.NewGate(context.WithoutCancel(t.Context()), hostapi.GateConfig{Registry: registry, Policies: []hostapi.Policy{allow}, Quota: quota})
	t.Cleanup(func() {
		if left := gate.Close(CancelGrace); left != nil {
			t.Errorf("a tool was still running %v after its calls were cancelled", CancelGrace)
		}
	})
	return gate
}
