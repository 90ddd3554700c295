//go:build unix

package shell_test

import (
	"context"
	"fmt"
	"os"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// A line runs if each of its commands is one that a rule grants.
func Example() {
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	bash := &shell.Tool{Dir: dir}
	defer bash.Close()
	registry, err := hostapi.NewRegistry(bash)
	if err != nil {
		fmt.Println(err)
		return
	}
	rules := hostapi.AllowList{{Tool: "bash", Pattern: "echo *"}, {Tool: "bash", Pattern: "wc *"}}
	gate := hostapi.NewGate(context.Background(), hostapi.GateConfig{Registry: registry, Policies: []hostapi.Policy{rules}})
	defer gate.Close(0)
	for _, line := range []string{`echo one two | wc -w`, `echo $(rm -rf .)`} {
		result, err := gate.Invoke(context.Background(), hostapi.Call{Tool: "bash", Args: fmt.Appendf(nil, `{"command": %q}`, line)})
		fmt.Printf("%s%v\n", result.Output, hostapi.CodeOf(err) == hostapi.CodeDenied && err != nil)
	}
	// Output:
	// 2
	// false
	// true
}
