package files_test

import (
	"context"
	"fmt"
	"os"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/files"
)

// The tools of a workspace reach what is below it, as far as rules grant it.
func Example() {
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	workspace, err := files.Open(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer workspace.Close()
	registry, err := hostapi.NewRegistry(workspace.Tools()...)
	if err != nil {
		fmt.Println(err)
		return
	}
	rules := hostapi.AllowList{{Tool: "write", Pattern: "notes/**"}, {Tool: "read"}}
	gate := hostapi.NewGate(context.Background(), hostapi.GateConfig{Registry: registry, Policies: []hostapi.Policy{rules}})
	defer gate.Close(0)
	for _, call := range []hostapi.Call{
		{Tool: "write", Args: []byte(`{"file_path": "notes/today.md", "content": "rain\n"}`)},
		{Tool: "write", Args: []byte(`{"file_path": "main.go", "content": ""}`)},
		{Tool: "read", Args: []byte(`{"file_path": "notes/today.md"}`)},
	} {
		if result, err := gate.Invoke(context.Background(), call); err != nil {
			fmt.Println(err)
		} else {
			fmt.Println(result.Output)
		}
	}
	// Output:
	// created notes/today.md, 5 bytes
	// tool "write" is not allowed for "main.go": it is allowed only as write(notes/**)
	//      1	rain
}
