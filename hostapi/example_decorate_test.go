package hostapi_test

import (
	"context"
	"fmt"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/files"
)

// signed adds a line to what another tool answers. All else is that tool's, such as its
// schema and the patterns of its rules: [hostapi.As] finds them.
type signed struct{ hostapi.Tool }

// Invoke implements [hostapi.Tool].
func (s signed) Invoke(ctx context.Context, call hostapi.Call) (hostapi.Result, error) {
	result, err := s.Tool.Invoke(ctx, call)
	result.Output += "\n-- from " + call.Tool
	return result, err
}

// Unwrap implements [hostapi.Unwrapper].
func (s signed) Unwrap() hostapi.Tool { return s.Tool }

// A tool that decorates another one.
func ExampleUnwrapper() {
	workspace, err := files.Open("testdata/greetings")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer workspace.Close()
	tools := workspace.Tools()
	for i, tool := range tools {
		tools[i] = signed{tool}
	}
	registry, err := hostapi.NewRegistry(tools...)
	if err != nil {
		fmt.Println(err)
		return
	}
	rules := hostapi.AllowList{{Tool: "ls", Pattern: "public/**"}} // a pattern of the tool inside
	gate := hostapi.NewGate(context.Background(), hostapi.GateConfig{Registry: registry, Policies: []hostapi.Policy{rules}})
	defer gate.Close(0)
	for _, args := range []string{`{"path":"public"}`, `{"path":"private"}`} {
		result, err := gate.Invoke(context.Background(), hostapi.Call{Tool: "ls", Args: []byte(args)})
		fmt.Printf("%s %v\n", result.Output, err)
	}
	// Output:
	// hello.txt
	// -- from ls <nil>
	//  tool "ls" is not allowed for "private": it is allowed only as ls(public/**)
}
