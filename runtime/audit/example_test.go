package audit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/runtime/audit"
)

// A log of what a script did, as lines of JSON.
func Example() {
	var lines bytes.Buffer
	recorded := audit.New(audit.Options{To: audit.Writer(&lines), Require: true, User: "ada"})
	runner, err := runtime.New(runtime.Options{
		InProcess: true, Around: []hostapi.Around{recorded.Around}, AroundRuns: []runtime.AroundRun{recorded.AroundRun},
		Tools: []hostapi.Tool{&hostapi.Func{ToolName: "greet", Do: func(context.Context, hostapi.Call) (hostapi.Result, error) {
			return hostapi.Succeed("hello"), nil
		}}},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer runner.Close()
	runner.Run(context.Background(), runtime.Request{
		Source: &runtime.Source{Name: "a.js", FunctionBody: true, Body: []byte("await ctx.tool('greet')")}, Allow: []hostapi.Rule{{Tool: "greet"}},
	})
	for decoder := json.NewDecoder(&lines); decoder.More(); {
		var line struct{ Event, Tool, Verdict, Outcome string }
		if err := decoder.Decode(&line); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s %s (%s)\n", line.Event, line.Tool, line.Verdict+line.Outcome)
	}
	// Output:
	// run_began a.js ()
	// call greet (allow)
	// run a.js (ok)
}
