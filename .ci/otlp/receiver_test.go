// Package otlp tests what scriptrun sends to the receiver of the OpenTelemetry Collector. It
// is a module of its own for what that takes.
package otlp

import (
	"bytes"
	"context"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/receiver/receivertest"
)

// TestReceiver: the spans of a run are one trace, from the one that it was started in down
// to a command that prints where it is; metrics arrive too.
func TestReceiver(t *testing.T) {
	ctx := t.Context()
	program := filepath.Join(t.TempDir(), "scriptrun")
	build := exec.CommandContext(ctx, "go", "build", "-o", program, "./cmd/scriptrun")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}

	factory := otlpreceiver.NewFactory()
	config := factory.CreateDefaultConfig()
	if err := confmap.NewFromStringMap(map[string]any{"protocols": map[string]any{"http": map[string]any{"endpoint": address}}}).Unmarshal(config); err != nil {
		t.Fatal(err)
	}
	spans, numbers := new(consumertest.TracesSink), new(consumertest.MetricsSink)
	settings := receivertest.NewNopSettings(factory.Type())
	traces, err := factory.CreateTraces(ctx, settings, config, spans)
	if err != nil {
		t.Fatal(err)
	}
	metrics, err := factory.CreateMetrics(ctx, settings, config, numbers)
	if err != nil {
		t.Fatal(err)
	}
	for _, receiver := range []component.Component{traces, metrics} {
		if err := receiver.Start(ctx, componenttest.NewNopHost()); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := receiver.Shutdown(context.WithoutCancel(ctx)); err != nil {
				t.Error(err)
			}
		}()
	}

	const trace, caller = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	for _, compression := range []string{"none", "gzip"} {
		spans.Reset()
		numbers.Reset()
		run := exec.CommandContext(ctx, program, "eval", "--allow", "bash", `await ctx.tool("secret").catch(() => 0); return (await ctx.bash("echo $TRACEPARENT")).trim()`)
		run.Dir = t.TempDir()
		run.Env = append(run.Environ(), "HOME="+t.TempDir(), "OTEL_EXPORTER_OTLP_ENDPOINT=http://"+address, "OTEL_EXPORTER_OTLP_COMPRESSION="+compression,
			"TRACEPARENT=00-"+trace+"-"+caller+"-01")
		var said bytes.Buffer
		run.Stderr = &said
		printed, err := run.Output()
		if err != nil || said.Len() > 0 {
			t.Fatalf("%v\n%s", err, said.String())
		}
		parents, ids := map[string]string{}, map[string]string{}
		for _, sent := range spans.AllTraces() {
			for _, of := range sent.ResourceSpans().All() {
				if service, _ := of.Resource().Attributes().Get("service.name"); service.Str() != "scriptrun" {
					t.Errorf("the service is %q", service.Str())
				}
				for _, in := range of.ScopeSpans().All() {
					for _, s := range in.Spans().All() {
						if s.TraceID().String() != trace {
							t.Errorf("%s is of %s", s.Name(), s.TraceID())
						}
						parents[s.Name()], ids[s.Name()] = s.ParentSpanID().String(), s.SpanID().String()
					}
				}
			}
		}
		if len(ids) != 3 || parents["run eval"] != caller || parents["call bash"] != ids["run eval"] || parents["call secret"] != ids["run eval"] {
			t.Errorf("%s: got %v of %v", compression, ids, parents)
		}
		if got := strings.TrimSpace(string(printed)); got != "00-"+trace+"-"+ids["call bash"]+"-01" {
			t.Errorf("the command printed %q", got)
		}
		if numbers.DataPointCount() < 4 { // runs, run.duration, call.duration, worker.wait
			t.Errorf("%d data points", numbers.DataPointCount())
		}
	}
}
