package telemetry_test

import (
	"context"
	"fmt"
	"log"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/runtime/telemetry"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// Spans of a run and its call, as a provider of the embedder's gets them.
func Example() {
	spans := tracetest.NewSpanRecorder()
	traces, err := telemetry.New(telemetry.Options{Tracers: trace.NewTracerProvider(trace.WithSpanProcessor(spans))})
	if err != nil {
		log.Fatal(err)
	}
	runner, err := runtime.New(runtime.Options{
		InProcess: true, Around: []hostapi.Around{traces.Around}, AroundRuns: []runtime.AroundRun{traces.AroundRun},
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
	call, run := spans.Ended()[0], spans.Ended()[1]
	fmt.Println(call.Name(), call.Parent().SpanID() == run.SpanContext().SpanID())
	// Output: call greet true
}
