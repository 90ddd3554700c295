package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/plain"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/runtime/telemetry"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// traces are sent to a collector; nil if nothing is.
type traces struct {
	*telemetry.Telemetry
	ends []func(context.Context) error
}

// startTraces makes the exporters that the variables ask for. It dials nothing yet. If
// it does not understand a variable, it says so and sends nothing: no run fails because
// of a collector.
func startTraces(ctx context.Context, stderr io.Writer) *traces {
	spans, spansErr := exports("TRACES")
	numbers, numbersErr := exports("METRICS")
	if err := errors.Join(spansErr, numbersErr); err != nil {
		fmt.Fprintf(stderr, "scriptrun: nothing is sent to a collector: %s\n", plain.Line(err.Error()))
		return nil
	}
	if !spans && !numbers {
		return nil
	}
	t := &traces{}
	if err := t.start(ctx, spans, numbers); err != nil {
		t.end() //nolint:contextcheck // it has a time of its own
		fmt.Fprintf(stderr, "scriptrun: nothing is sent to a collector: %s\n", plain.Line(err.Error()))
		return nil
	}
	var once sync.Once // a collector that is gone stays gone
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		once.Do(func() { fmt.Fprintf(stderr, "scriptrun: to the collector: %s\n", plain.Line(err.Error())) })
	}))
	return t
}

func (t *traces) start(ctx context.Context, spans, numbers bool) error {
	about, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", "scriptrun"), attribute.String("service.version", version())),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	var options telemetry.Options
	if spans {
		to, err := newOTLP("TRACES")
		if err != nil {
			return err
		}
		provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(otlptrace.NewUnstarted(to)), sdktrace.WithResource(about))
		options.Tracers, t.ends = provider, append(t.ends, provider.Shutdown)
	}
	if numbers {
		to, err := newOTLP("METRICS")
		if err != nil {
			return err
		}
		provider := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewPeriodicReader(metricSender{to})), sdkmetric.WithResource(about))
		options.Meters, t.ends = provider, append(t.ends, provider.Shutdown)
	}
	t.Telemetry, err = telemetry.New(options)
	return err
}

// around traces what a runner does.
func (t *traces) around(options *runtime.Options) {
	if t != nil {
		options.Around = append(options.Around, t.Around)
		options.AroundRuns = append(options.AroundRuns, t.AroundRun)
	}
}

// watch reports a runner's workers until stop is called.
func (t *traces) watch(runner *runtime.Runner) (stop func()) {
	if t != nil {
		if stop, err := t.Watch(runner); err == nil {
			return stop
		}
	}
	return func() {}
}

// lastWord is how long the process waits for a collector at its end.
const lastWord = time.Second

// end sends what is left. It does not wait longer for a slow collector.
func (t *traces) end() {
	if t == nil {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), lastWord)
	defer stop()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		var all sync.WaitGroup
		for _, end := range t.ends {
			all.Go(func() {
				if err := end(ctx); err != nil {
					otel.Handle(err)
				}
			})
		}
		all.Wait()
	}()
	select {
	case <-ended:
	case <-ctx.Done():
	}
}
