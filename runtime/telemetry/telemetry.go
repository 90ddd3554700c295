// Package telemetry reports runs and calls to OpenTelemetry: a span for each run, child
// spans for its calls and for operations on what they started, and metrics. It uses only
// the API of OpenTelemetry; the embedder chooses the providers:
//
//	traces, err := telemetry.New(telemetry.Options{Tracers: otel.GetTracerProvider(), Meters: otel.GetMeterProvider()})
//	runner, err := runtime.New(runtime.Options{
//		Around: []hostapi.Around{traces.Around}, AroundRuns: []runtime.AroundRun{traces.AroundRun}, ...
//	})
//
// The parent of a run's span is the span in the context of the run. Put Telemetry first in
// both lists, so that the others have the span in their context. Arguments and results are
// not reported, since they may be secret.
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

// scope is the name of the tracer and of the meter.
const scope = "github.com/scriptrun/scriptrun/runtime"

// Options has the providers; with nil there are no spans, or no metrics.
type Options struct {
	Tracers trace.TracerProvider
	Meters  metric.MeterProvider
}

// Telemetry reports runs and calls. The zero value does nothing. It is safe for concurrent
// use.
type Telemetry struct {
	tracer  trace.Tracer // nil: no spans
	meter   metric.Meter // nil: no metrics
	metrics metrics
	runs    sync.Map // of *run, by run ID
}

// run is a run that has not ended.
type run struct {
	span trace.Span

	mu    sync.Mutex
	calls map[int]trace.Span // the spans of its calls
}

// New makes a Telemetry. The error is that of an instrument.
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
		if of.call(row.Seq) == nil { // the run ended before the call passed Around
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

// overtaken reports a call that was neither made nor refused before the run ended.
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
	defer span.End() // also if next panics
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

// call returns the span of a call; nil if there is none.
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

// parent returns a context with the parent of a call's span: for an operation the span of its
// call; for a call by a tool the tool's current span, or else that of the tool's call.
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

// fails marks a span as failed; why is one of few words.
func fails(span trace.Span, why string) {
	span.SetStatus(codes.Error, "")
	span.SetAttributes(errorType.String(why))
}

// attributesOf are the attributes of a call before it is made.
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

// maxText bounds a text, in bytes.
const maxText = 1 << 10
