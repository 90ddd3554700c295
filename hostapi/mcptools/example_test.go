package mcptools_test

import (
	"context"
	"fmt"
	"os"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/mcptools"
)

// The tools of a server that is a program are host tools.
func Example() {
	self, err := os.Executable() // these tests are such a server, with the argument serve
	if err != nil {
		fmt.Println(err)
		return
	}
	connection, err := mcptools.Connect(context.Background(), mcptools.Server{Name: "demo", Command: []string{self, "serve"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer connection.Close()
	registry, err := hostapi.NewRegistry(connection.Tools()...)
	if err != nil {
		fmt.Println(err)
		return
	}
	gate := hostapi.NewGate(context.Background(), hostapi.GateConfig{Registry: registry, Policies: []hostapi.Policy{hostapi.AllowList{{Tool: "mcp__demo__echo"}}}})
	defer gate.Close(0)
	for _, tool := range []string{"mcp__demo__echo", "mcp__demo__pid"} {
		result, err := gate.Invoke(context.Background(), hostapi.Call{Tool: tool, Args: []byte(`{"x": 1}`)})
		fmt.Println(result.Output, err)
	}
	// Output:
	// {"x":1} <nil>
	//  tool "mcp__demo__pid" is not allowed; allowed: mcp__demo__echo
}
