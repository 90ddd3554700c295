package main

import (
	"context"
	"encoding/json"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
)

// bare is a runner with a host tool that does nothing.
func bare(inProcess bool) (*runtime.Runner, error) {
	nothing := hostapi.Succeed("ok")
	return runtime.New(runtime.Options{InProcess: inProcess, Tools: []hostapi.Tool{
		&hostapi.Func{ToolName: "noop", Do: func(context.Context, hostapi.Call) (hostapi.Result, error) { return nothing, nil }},
	}})
}

// running is a tool that runs warm, and may call one host tool.
func running(ctx context.Context, name string, runner *runtime.Runner, host, source, want string, batch int) (subject, error) {
	program, err := runner.Compile(ctx, runtime.Source{Name: "tool.js", Body: []byte(source)})
	request := runtime.Request{
		Program: program, Inputs: json.RawMessage(inputs), Allow: []hostapi.Rule{{Tool: host}},
		Limits: runtime.Limits{MaxToolCalls: 1000},
	}
	return subject{name: name, batch: batch, do: func(ctx context.Context) error {
		report := runner.Run(ctx, request)
		if report.Err() != nil {
			return report.Err()
		}
		if string(report.Value) != want {
			return expect(string(report.Value))
		}
		return nil
	}}, err
}

// hundred calls a tool a hundred times, one after the other.
const hundred = "async function run(ctx, inputs) { for (let i = 0; i < 100; i++) await ctx.tool('noop'); return 1 }\n"
