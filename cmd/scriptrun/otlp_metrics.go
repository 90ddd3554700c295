package main

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
)

// metricSender is an exporter for the kinds of metrics that package telemetry has: sums
// and gauges of integers, and histograms.
type metricSender struct{ *otlp }

// Temporality implements [sdkmetric.Exporter].
func (metricSender) Temporality(kind sdkmetric.InstrumentKind) metricdata.Temporality {
	return sdkmetric.DefaultTemporalitySelector(kind)
}

// Aggregation implements [sdkmetric.Exporter].
func (metricSender) Aggregation(kind sdkmetric.InstrumentKind) sdkmetric.Aggregation {
	return sdkmetric.DefaultAggregationSelector(kind)
}

// ForceFlush implements [sdkmetric.Exporter]; nothing is buffered.
func (metricSender) ForceFlush(context.Context) error { return nil }

// Shutdown implements [sdkmetric.Exporter].
func (m metricSender) Shutdown(ctx context.Context) error { return m.Stop(ctx) }

// Export implements [sdkmetric.Exporter].
func (m metricSender) Export(ctx context.Context, all *metricdata.ResourceMetrics) error {
	of := &metricspb.ResourceMetrics{Resource: &resourcepb.Resource{Attributes: pairs(*all.Resource.Set())}, SchemaUrl: all.Resource.SchemaURL()}
	for _, in := range all.ScopeMetrics {
		scope := &metricspb.ScopeMetrics{Scope: &commonpb.InstrumentationScope{Name: in.Scope.Name, Version: in.Scope.Version}}
		for _, metric := range in.Metrics {
			if sent := sentMetric(metric); sent != nil {
				scope.Metrics = append(scope.Metrics, sent)
			}
		}
		of.ScopeMetrics = append(of.ScopeMetrics, scope)
	}
	return m.send(ctx, &metricspb.MetricsData{ResourceMetrics: []*metricspb.ResourceMetrics{of}})
}

// sentMetric is a metric as it is sent; nil for other kinds.
func sentMetric(m metricdata.Metrics) *metricspb.Metric {
	out := &metricspb.Metric{Name: m.Name, Description: m.Description, Unit: m.Unit}
	switch data := m.Data.(type) {
	case metricdata.Sum[int64]:
		out.Data = &metricspb.Metric_Sum{Sum: &metricspb.Sum{DataPoints: points(data.DataPoints), AggregationTemporality: temporality(data.Temporality), IsMonotonic: data.IsMonotonic}}
	case metricdata.Gauge[int64]:
		out.Data = &metricspb.Metric_Gauge{Gauge: &metricspb.Gauge{DataPoints: points(data.DataPoints)}}
	case metricdata.Histogram[float64]:
		histogram := &metricspb.Histogram{AggregationTemporality: temporality(data.Temporality)}
		for _, p := range data.DataPoints {
			sum := p.Sum
			histogram.DataPoints = append(histogram.DataPoints, &metricspb.HistogramDataPoint{
				Attributes: pairs(p.Attributes), StartTimeUnixNano: nanos(p.StartTime), TimeUnixNano: nanos(p.Time),
				Count: p.Count, Sum: &sum, BucketCounts: p.BucketCounts, ExplicitBounds: p.Bounds,
			})
		}
		out.Data = &metricspb.Metric_Histogram{Histogram: histogram}
	default:
		return nil
	}
	return out
}

func points(all []metricdata.DataPoint[int64]) (sent []*metricspb.NumberDataPoint) {
	for _, p := range all {
		sent = append(sent, &metricspb.NumberDataPoint{
			Attributes: pairs(p.Attributes), StartTimeUnixNano: nanos(p.StartTime), TimeUnixNano: nanos(p.Time),
			Value: &metricspb.NumberDataPoint_AsInt{AsInt: p.Value},
		})
	}
	return sent
}

func temporality(t metricdata.Temporality) metricspb.AggregationTemporality {
	if t == metricdata.DeltaTemporality {
		return metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_DELTA
	}
	return metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE
}

// nanos is a time as it is sent; 0 for the unknown beginning of a gauge.
func nanos(t time.Time) uint64 { return uint64(max(0, t.UnixNano())) }

// pairs are attributes as they are sent.
func pairs(set attribute.Set) (sent []*commonpb.KeyValue) {
	for _, a := range set.ToSlice() {
		value := &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: a.Value.String()}}
		if a.Value.Type() == attribute.INT64 {
			value.Value = &commonpb.AnyValue_IntValue{IntValue: a.Value.AsInt64()}
		}
		sent = append(sent, &commonpb.KeyValue{Key: string(a.Key), Value: value})
	}
	return sent
}
