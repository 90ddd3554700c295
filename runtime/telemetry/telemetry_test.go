package telemetry_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/hosttest"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/runtime/telemetry"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
)

func TestMain(m *testing.M) {
	runtime.WorkerMain()
	m.Run()
}

// told runs the body of a script with telemetry around it.
func told(ctx context.Context, t *testing.T, around *telemetry.Telemetry, body string, tools ...hostapi.Tool) *runtime.Report {
	t.Helper()
	runner, err := runtime.New(runtime.Options{
		Tools: tools, Around: []hostapi.Around{around.Around}, AroundRuns: []runtime.AroundRun{around.AroundRun},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	stop, err := around.Watch(runner)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	var allow []hostapi.Rule
	for _, tool := range tools {
		allow = append(allow, hostapi.Rule{Tool: tool.Name(), From: "probe.js:4:1"})
	}
	return runner.Run(ctx, runtime.Request{
		Tool: "probe", Source: &runtime.Source{Name: "probe.js", Body: []byte(body), FunctionBody: true}, Allow: allow, Limits: runtime.Limits{MaxToolCalls: 3},
	})
}

// TestSpansOfARun: the tree of one, with calls of tools, refused ones, those that the end
// overtakes, and spans that tools begin themselves; nothing of arguments and results.
func TestSpansOfARun(t *testing.T) {
	t.Parallel()
	recorder := tracetest.NewSpanRecorder()
	tracers := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder))
	around, err := telemetry.New(telemetry.Options{Tracers: tracers})
	if err != nil {
		t.Fatal(err)
	}
	inner := &hosttest.Fake{ToolName: "inner", Answer: hostapi.Fail("s3cret")}
	outer := &hosttest.Fake{ToolName: "outer", Do: func(ctx context.Context, call hostapi.Call) (hostapi.Result, error) {
		ctx, own := tracers.Tracer("own").Start(ctx, "own work")
		defer own.End()
		_, err := call.Invoke(ctx, "inner", json.RawMessage(`{"a":"s3cret"}`))
		if err != nil {
			return hostapi.Result{}, err
		}
		return call.Invoke(context.Background(), "inner", nil) // it has lost where it is
	}}
	slow := &hosttest.Fake{ToolName: "slow", Do: func(ctx context.Context, _ hostapi.Call) (hostapi.Result, error) {
		<-ctx.Done()
		return hostapi.Result{}, ctx.Err()
	}}
	ctx, parent := tracers.Tracer("test").Start(t.Context(), "request")
	report := told(ctx, t, around, "await ctx.tool('outer', {a: 's3cret'}); await ctx.tool('none').catch(() => 0); await ctx.tool('inner').catch(() => 0); ctx.tool('slow')", inner, outer, slow)
	parent.End()
	if report.Outcome != runtime.OutcomeOK {
		t.Fatal(report)
	}
	names := map[trace.SpanID]string{}
	for _, s := range recorder.Ended() {
		names[s.SpanContext().SpanID()] = s.Name()
	}
	var tree []string
	for _, s := range recorder.Ended() {
		has := map[string]string{}
		for _, a := range s.Attributes() {
			has[string(a.Key)] = a.Value.String()
			if strings.Contains(a.Value.String(), "s3cret") {
				t.Errorf("%s tells %v", s.Name(), a)
			}
		}
		if s.SpanContext().TraceID() != parent.SpanContext().TraceID() || strings.Contains(s.Status().Description, "s3cret") {
			t.Errorf("got %+v", s)
		}
		bad := s.Status().Code == codes.Error
		tree = append(tree, strings.TrimSpace(fmt.Sprintf("%s < %s %s%s %t %s %s", names[s.Parent().SpanID()], s.Name(), has["scriptrun.call.status"], has["scriptrun.run.outcome"], bad, has["scriptrun.call.rule"], has["scriptrun.call.rule_from"])))
	}
	slices.Sort(tree)
	want := []string{
		"< request  false",
		"call outer < call inner failed true inner probe.js:4:1",
		"call outer < own work  false",
		"own work < call inner failed true inner probe.js:4:1",
		"request < run probe ok false",
		"run probe < call inner over_limit true inner probe.js:4:1",
		"run probe < call none denied true",
		"run probe < call outer failed true outer probe.js:4:1",
		"run probe < call slow over_limit true slow probe.js:4:1",
	}
	if diff := cmp.Diff(want, tree); diff != "" {
		t.Error(diff)
	}
}

// TestCallsThatTheEndOvertakesHaveSpans, those that were never made too.
func TestCallsThatTheEndOvertakesHaveSpans(t *testing.T) {
	t.Parallel()
	recorder := tracetest.NewSpanRecorder()
	around, err := telemetry.New(telemetry.Options{Tracers: sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder))})
	if err != nil {
		t.Fatal(err)
	}
	slow := &hosttest.Fake{ToolName: "slow", Do: func(ctx context.Context, _ hostapi.Call) (hostapi.Result, error) {
		<-ctx.Done()
		return hostapi.Result{}, ctx.Err()
	}}
	report := told(t.Context(), t, around, "ctx.tool('slow'); ctx.tool('slow'); throw new Error('over')", slow)
	calls := 0
	for _, s := range recorder.Ended() {
		if s.Name() == "call slow" && s.Status().Code == codes.Error && !s.EndTime().Before(s.StartTime()) {
			calls++
		}
	}
	if calls != 2 || len(report.Calls) != 2 {
		t.Errorf("%d spans of %d calls", calls, len(report.Calls))
	}
}

// TestMetricsOfRuns: by outcome; names that scripts make up are no names there.
func TestMetricsOfRuns(t *testing.T) {
	t.Parallel()
	reader := sdkmetric.NewManualReader()
	around, err := telemetry.New(telemetry.Options{Meters: sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))})
	if err != nil {
		t.Fatal(err)
	}
	var during metricdata.ResourceMetrics
	var once sync.Once
	tool := &hosttest.Fake{ToolName: "t", Do: func(ctx context.Context, _ hostapi.Call) (hostapi.Result, error) {
		once.Do(func() { err = reader.Collect(ctx, &during) })
		return hostapi.Succeed(""), nil
	}}
	told(t.Context(), t, around, "await ctx.tool('t'); await ctx.tool('made-up').catch(() => 0)", tool)
	told(t.Context(), t, around, "throw new Error('no')", tool)
	var after metricdata.ResourceMetrics
	if err != nil || reader.Collect(t.Context(), &after) != nil {
		t.Fatal(err)
	}
	got := map[string]int64{}
	for _, all := range []metricdata.ResourceMetrics{during, after} {
		for _, in := range all.ScopeMetrics {
			for _, m := range in.Metrics {
				switch data := m.Data.(type) {
				case metricdata.Sum[int64]:
					for _, p := range data.DataPoints {
						got[m.Name+" "+p.Attributes.Encoded(attribute.DefaultEncoder())] = p.Value
					}
				case metricdata.Gauge[int64]:
					for _, p := range data.DataPoints {
						got[m.Name] = p.Value
					}
				case metricdata.Histogram[float64]:
					for _, p := range data.DataPoints {
						got[m.Name+" "+p.Attributes.Encoded(attribute.DefaultEncoder())] = int64(p.Count)
					}
				}
			}
		}
	}
	want := map[string]int64{
		"scriptrun.workers.used": 1, "scriptrun.runs.waiting": 0, "scriptrun.worker.wait ": 2,
		"scriptrun.runs gen_ai.tool.name=probe,scriptrun.run.outcome=ok": 1, "scriptrun.runs gen_ai.tool.name=probe,scriptrun.run.outcome=script_error": 1,
		"scriptrun.run.duration gen_ai.tool.name=probe,scriptrun.run.outcome=ok": 1, "scriptrun.run.duration gen_ai.tool.name=probe,scriptrun.run.outcome=script_error": 1,
		"scriptrun.call.duration gen_ai.tool.name=t,scriptrun.call.status=ok": 1, "scriptrun.call.duration scriptrun.call.status=denied": 1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestTheZeroTelemetryIsSilent.
func TestTheZeroTelemetryIsSilent(t *testing.T) {
	t.Parallel()
	tool := &hosttest.Fake{ToolName: "t", Answer: hostapi.Succeed("")}
	for _, around := range []*telemetry.Telemetry{{}, func() *telemetry.Telemetry { made, _ := telemetry.New(telemetry.Options{}); return made }()} {
		if report := told(t.Context(), t, around, "await ctx.tool('t'); return 1", tool); report.Outcome != runtime.OutcomeOK {
			t.Error(report)
		}
	}
}
