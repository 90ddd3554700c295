package telemetry

import (
	"context"
	"errors"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
	"go.opentelemetry.io/otel/metric"
)

// metrics are the instruments; the zero value does nothing.
type metrics struct {
	runs                    metric.Int64Counter
	runTime, wait, callTime metric.Float64Histogram
}

// seconds are the bounds of histograms, from the quickest call to the longest run.
func seconds() metric.HistogramOption {
	return metric.WithExplicitBucketBoundaries(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600)
}

func newMetrics(meter metric.Meter) (m metrics, err error) {
	histogram := func(name, about string) (h metric.Float64Histogram) {
		h, e := meter.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(about), seconds())
		err = errors.Join(err, e)
		return h
	}
	var e error
	m.runs, e = meter.Int64Counter("scriptrun.runs", metric.WithUnit("{run}"), metric.WithDescription("Runs that have ended, by outcome"))
	m.runTime = histogram("scriptrun.run.duration", "How long runs took, waiting included")
	m.wait = histogram("scriptrun.worker.wait", "How long runs waited for a worker")
	m.callTime = histogram("scriptrun.call.duration", "How long calls of host tools took")
	return m, errors.Join(err, e)
}

func (m metrics) ran(ctx context.Context, request runtime.Request, report *runtime.Report) {
	if m.runs == nil {
		return
	}
	as := metric.WithAttributes(outcome.String(string(report.Outcome)))
	if request.Refused == nil { // a refused name can be any text
		as = metric.WithAttributes(outcome.String(string(report.Outcome)), toolName.String(report.Tool))
	}
	m.runs.Add(ctx, 1, as)
	m.runTime.Record(ctx, report.Usage.Wall.Seconds(), as)
	if report.Usage.WorkerWait > 0 {
		m.wait.Record(ctx, report.Usage.WorkerWait.Seconds())
	}
}

func (m metrics) called(ctx context.Context, call hostapi.Call, ends hostapi.Status, took time.Duration) {
	if m.callTime == nil || call.Operation != "" {
		return
	}
	as := metric.WithAttributes(status.String(string(ends)))
	if denied := (*hostapi.DeniedError)(nil); !errors.As(call.Refused, &denied) || !denied.Unknown { // scripts can call any name
		as = metric.WithAttributes(status.String(string(ends)), toolName.String(call.Tool))
	}
	m.callTime.Record(ctx, took.Seconds(), as)
}

// Watch measures how many workers a runner uses and how many runs wait, until stop.
func (t *Telemetry) Watch(runner *runtime.Runner) (stop func(), err error) {
	if t.meter == nil {
		return func() {}, nil
	}
	used, err := t.meter.Int64ObservableGauge("scriptrun.workers.used", metric.WithUnit("{worker}"), metric.WithDescription("Workers that run a script"))
	if err != nil {
		return nil, err
	}
	waiting, err := t.meter.Int64ObservableGauge("scriptrun.runs.waiting", metric.WithUnit("{run}"), metric.WithDescription("Runs that wait for a worker"))
	if err != nil {
		return nil, err
	}
	registered, err := t.meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		now, queued := runner.Load()
		o.ObserveInt64(used, now)
		o.ObserveInt64(waiting, queued)
		return nil
	}, used, waiting)
	if err != nil {
		return nil, err
	}
	return func() { _ = registered.Unregister() }, nil
}
