package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
)

// A tool of a Go function. It waits for somebody, which takes nothing of the script's
// time, and calls another tool of the run.
func Example_typed() {
	type release struct {
		Version string `json:"version" jsonschema:"what to deploy"`
	}
	type deployed struct {
		Version string `json:"version"`
		Log     string `json:"log"`
	}
	type line struct {
		Line string `json:"line"`
	}
	log := hostapi.Typed("log", "write a line", func(_ context.Context, in line) (string, error) {
		return "logged " + in.Line, nil
	})
	deploy := hostapi.Typed("deploy", "deploy a version", func(ctx context.Context, in release) (deployed, error) {
		call, _ := hostapi.CallFrom(ctx)
		release := call.Hold()
		time.Sleep(3100 * time.Millisecond) // a person thinks, for longer than the run may last
		release()
		args, err := json.Marshal(line{in.Version})
		if err != nil {
			return deployed{}, err
		}
		result, err := call.Invoke(ctx, "log", args)
		return deployed{in.Version, result.Output}, err
	})
	runner, err := runtime.New(runtime.Options{Tools: []hostapi.Tool{deploy, log}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer runner.Close()
	report := runner.Run(context.Background(), runtime.Request{
		Source: &runtime.Source{Name: "deploy.js", FunctionBody: true, Body: []byte(`return (await ctx.tool("deploy", { version: "1.2" })).data.log`)},
		Allow:  []hostapi.Rule{{Tool: "deploy"}, {Tool: "log"}},
		Limits: runtime.Limits{Timeout: 3 * time.Second},
	})
	fmt.Println(report.Outcome, report.Text)
	for _, call := range report.Calls {
		fmt.Println(call.Seq, call.Tool, "asked for by", call.Parent)
	}
	// Output:
	// ok logged 1.2
	// 1 deploy asked for by 0
	// 2 log asked for by 1
}
