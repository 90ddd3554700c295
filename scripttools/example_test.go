package scripttools_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
)

const shout = `/*---
kind: script
name: shout
description: Say it louder.
input_schema:
  type: object
  required: [text]
  properties: {text: {type: string}, times: {type: integer, default: 1}}
---*/
export default (ctx, inputs) => inputs.text.toUpperCase() + "!".repeat(inputs.times)
`

// A directory of tool files is a catalog, whose tools run by name.
func Example() {
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "shout.js"), []byte(shout), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	runner, err := runtime.New(runtime.Options{}) // main has called runtime.WorkerMain
	if err != nil {
		fmt.Println(err)
		return
	}
	defer runner.Close()
	catalog, err := scripttools.LoadDir(context.Background(), runner, dir)
	if err != nil {
		fmt.Println(err) // every problem of every file
		return
	}
	for _, inputs := range []scripttools.Inputs{{"text": "hi", "times": 2}, {"txt": "hi"}} {
		report := catalog.Run(context.Background(), "shout", inputs)
		fmt.Println(report.Outcome, report.Text, report.Err())
	}
	// Output:
	// ok HI!! <nil>
	// invalid_input  shout: invalid_input: InvalidInput: inputs of tool "shout": (root): missing property 'text'
}
