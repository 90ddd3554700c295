// Package telemetry tells OpenTelemetry of runs and calls: a span for each run, children
// for its calls and for what is done with what they started, and metrics. It knows the
// interfaces of OpenTelemetry alone; who embeds it says where things go:
//
//	traces, err := telemetry.New(telemetry.Options{Tracers: otel.GetTracerProvider(), Meters: otel.GetMeterProvider()})
//	runner, err := runtime.New(runtime.Options{
//		Around: []hostapi.Around{traces.Around}, AroundRuns: []runtime.AroundRun{traces.AroundRun}, ...
//	})
//
// The span of the context that a run is given is the parent of the run's. Put it first in
// both lists: what is further in has the run's span in its context. Neither arguments nor
// results are told, since they may be secrets.
package telemetry

import (
	"context"
	"sync"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/clip"
	"github.com/scriptrun/scriptrun/runtime"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
)

// scope is the name under which spans and metrics are told.
const scope = "github.com/scriptrun/scriptrun/runtime"

// Options are where things are told. What is nil is told nobody.
type Options struct {
	Tracers trace.TracerProvider
	Meters  metric.MeterProvider
}

// Telemetry tells of runs and calls. The zero value is silent. It is safe for concurrent
// use.
type Telemetry struct {
	tracer  trace.Tracer // nil tells of no spans
	meter   metric.Meter // nil tells of no metrics
	metrics metrics
	runs    sync.Map // of *run, by number
}

// run is one that goes on.
type run struct {
	span trace.Span

	mu    sync.Mutex
	calls map[int]trace.Span // those that were told of
}

// New makes a telemetry. An error is that of an instrument that could not be made.
func New(options Options) (*Telemetry, error) {
	t := &Telemetry{}
	if options.Tracers != nil {
		t.tracer = options.Tracers.Tracer(scope)
	}
	if options.Meters == nil {
		return t, nil
	}
	t.meter = options.Meters.Meter(scope)
	var err error
	t.metrics, err = newMetrics(t.meter)
	return t, err
}

// AroundRun is a [runtime.AroundRun].
func (t *Telemetry) AroundRun(ctx context.Context, request runtime.Request, next func(context.Context) *runtime.Report) *runtime.Report {
	if t.tracer == nil {
		report := next(ctx)
		t.metrics.ran(ctx, request, report)
		return report
	}
	kind := trace.SpanKindInternal
	if trace.SpanContextFromContext(ctx).IsRemote() {
		kind = trace.SpanKindServer
	}
	id := request.RunID()
	ctx, span := t.tracer.Start(ctx, "run "+request.Tool, trace.WithSpanKind(kind), trace.WithAttributes(
		operationName(), toolName.String(request.Tool), runID.String(id)))
	of := &run{span: span, calls: map[int]trace.Span{}}
	t.runs.Store(id, of)
	defer t.runs.Delete(id)
	defer span.End()
	report := next(ctx)
	for _, row := range report.Calls {
		if of.call(row.Seq) == nil { // the end of the run overtook it
			t.overtaken(ctx, row)
		}
	}
	span.SetAttributes(outcome.String(string(report.Outcome)), calls.Int(len(report.Calls)))
	if report.Limit != "" {
		span.SetAttributes(limit.String(report.Limit))
	}
	if report.Outcome != runtime.OutcomeOK {
		fails(span, string(report.Outcome))
	}
	t.metrics.ran(ctx, request, report)
	return report
}

// overtaken tells of a call that was never made, nor refused.
func (t *Telemetry) overtaken(ctx context.Context, row hostapi.Record) {
	_, span := t.tracer.Start(ctx, "call "+row.Tool, trace.WithTimestamp(row.Started), trace.WithAttributes(
		operationName(), toolName.String(row.Tool), callSeq.Int(row.Seq), verdict.String(string(row.Verdict)), status.String(string(row.Status))))
	fails(span, string(row.Status))
	span.End(trace.WithTimestamp(row.Ended))
}

// Around is a [hostapi.Around].
func (t *Telemetry) Around(ctx context.Context, call hostapi.Call, next func(context.Context) (hostapi.Result, error)) (hostapi.Result, error) {
	began := time.Now()
	if t.tracer == nil {
		result, err := next(ctx)
		t.metrics.called(ctx, call, hostapi.StatusOf(ctx, call, result, err), time.Since(began))
		return result, err
	}
	name := "call " + call.Tool
	if call.Operation != "" {
		name = call.Operation + " " + call.Tool
	}
	r, _ := t.runs.Load(call.Run)
	of, _ := r.(*run)
	ctx, span := t.tracer.Start(of.parent(ctx, call), name, trace.WithSpanKind(kindOf(call)), trace.WithAttributes(attributesOf(call)...))
	defer span.End() // also where what is further in panics
	if of != nil && call.Operation == "" {
		of.began(call.Seq, span)
	}
	result, err := next(ctx)
	ends := hostapi.StatusOf(ctx, call, result, err)
	span.SetAttributes(status.String(string(ends)))
	if ends != hostapi.StatusOK {
		fails(span, string(ends))
	}
	if err == nil {
		span.SetAttributes(resultAttributes(call, result)...)
	}
	t.metrics.called(ctx, call, ends, time.Since(began))
	return result, err
}

// call is the span of a call; nil if there is none.
func (r *run) call(seq int) trace.Span {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.calls[seq]
}

func (r *run) began(seq int, span trace.Span) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls[seq] = span
}

// parent is the context that a call's span begins in: an operation is of the call that it
// is about, and a call of a tool's is where the tool was, or else of the tool's call.
func (r *run) parent(ctx context.Context, call hostapi.Call) context.Context {
	if r == nil {
		return ctx
	}
	in := trace.SpanContextFromContext(ctx)
	lost := !in.IsValid() || in.TraceID() != r.span.SpanContext().TraceID()
	of := r.span
	switch {
	case call.Operation != "":
		lost, of = true, r.call(call.Seq)
	case call.Parent != 0:
		of = r.call(call.Parent)
	}
	if lost && of != nil {
		return trace.ContextWithSpan(ctx, of)
	}
	return ctx
}

// fails marks a span; why is one of few words.
func fails(span trace.Span, why string) {
	span.SetStatus(codes.Error, "")
	span.SetAttributes(errorType.String(why))
}

// attributesOf are what is known of a call before it is made.
func attributesOf(call hostapi.Call) []attribute.KeyValue {
	all := []attribute.KeyValue{operationName(), toolName.String(call.Tool), runID.String(call.Run), callSeq.Int(call.Seq), verdict.String(string(call.Decision.Verdict))}
	for _, text := range []struct {
		key   attribute.Key
		value string
	}{{operation, call.Operation}, {site, call.Site}, {ruleFrom, call.Decision.Rule.From}} {
		if text.value != "" {
			all = append(all, text.key.String(clip.Head(text.value, maxText)))
		}
	}
	if call.Decision.Rule.Tool != "" {
		all = append(all, rule.String(clip.Head(call.Decision.Rule.String(), maxText)))
	}
	if call.Parent != 0 {
		all = append(all, callParent.Int(call.Parent))
	}
	if call.Background {
		all = append(all, background.Bool(true))
	}
	return append(all, conventions(call)...)
}

// maxText is how much of a text is told, in bytes.
const maxText = 1 << 10
