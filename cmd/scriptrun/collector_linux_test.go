package main

import (
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	tracespb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// span is a span that a collector got.
type span struct {
	trace, id, parent, service, name string
	kind                             int32
	attributes                       map[string]string
}

// collector receives OTLP over HTTP.
type collector struct {
	*httptest.Server
	mu       sync.Mutex
	requests int
	spans    []span
	metrics  []string
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = c.take(r.URL.Path, body)
		}
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *collector) take(path string, body []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests++
	switch path {
	case "/v1/traces":
		var sent tracespb.TracesData
		if err := proto.Unmarshal(body, &sent); err != nil {
			return err
		}
		for _, of := range sent.GetResourceSpans() {
			service := ""
			for _, a := range of.GetResource().GetAttributes() {
				if a.GetKey() == "service.name" {
					service = a.GetValue().GetStringValue()
				}
			}
			for _, in := range of.GetScopeSpans() {
				for _, s := range in.GetSpans() {
					got := span{hex.EncodeToString(s.GetTraceId()), hex.EncodeToString(s.GetSpanId()), hex.EncodeToString(s.GetParentSpanId()), service, s.GetName(), int32(s.GetKind()), map[string]string{}}
					for _, a := range s.GetAttributes() {
						got.attributes[a.GetKey()] = a.GetValue().GetStringValue()
						if n, ok := a.GetValue().GetValue().(interface{ GetIntValue() int64 }); ok {
							got.attributes[a.GetKey()] = fmt.Sprint(n.GetIntValue())
						}
					}
					c.spans = append(c.spans, got)
				}
			}
		}
	case "/v1/metrics":
		var sent metricspb.MetricsData
		if err := proto.Unmarshal(body, &sent); err != nil {
			return err
		}
		for _, of := range sent.GetResourceMetrics() {
			for _, in := range of.GetScopeMetrics() {
				for _, m := range in.GetMetrics() {
					c.metrics = append(c.metrics, m.GetName())
				}
			}
		}
	default:
		return fmt.Errorf("asked for %s", path)
	}
	return nil
}

// await waits until the collector has got enough.
func (c *collector) await(t *testing.T, enough func() bool) {
	t.Helper()
	until := time.Now().Add(patience)
	for {
		c.mu.Lock()
		done := enough()
		c.mu.Unlock()
		if done {
			return
		}
		if time.Now().After(until) {
			t.Fatalf("the collector has %+v, %q", c.spans, c.metrics)
		}
		time.Sleep(5 * time.Millisecond) // nothing tells
	}
}

// named are the spans of a name.
func (c *collector) named(service, name string) (found []span) {
	for _, s := range c.spans {
		if s.service == service && s.name == name {
			found = append(found, s)
		}
	}
	return found
}
