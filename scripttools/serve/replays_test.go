package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestReplaysForgetWhatIsAnswered: answered streams of a long session are forgotten, the kept
// bytes have a bound, and resuming a forgotten stream is an error.
func TestReplaysForgetWhatIsAnswered(t *testing.T) {
	t.Parallel()
	r := newReplays(1000)
	for n := range 5000 {
		var of streamOf
		ctx := context.WithValue(t.Context(), streamNameKey{}, &of)
		stream := fmt.Sprint("s", n)
		if err := errors.Join(r.Open(ctx, "a", stream), r.Append(ctx, "a", stream, nil), r.Append(ctx, "a", stream, bytes.Repeat([]byte("x"), 100))); err != nil {
			t.Fatal(err)
		}
		if want := (streamName{"a", stream}); of.name != want {
			t.Fatalf("the request is told of %v, and not of %v", of.name, want)
		}
		if got, err := r.after(of.name, 0); err != nil || len(got) != 1 {
			t.Fatalf("%d events, %v", len(got), err)
		}
		r.end(of.name)
	}
	if len(r.kept) > maxEnded || r.bytes > 1000 || len(r.ended) > maxEnded {
		t.Errorf("%d streams of %d bytes are kept", len(r.kept), r.bytes)
	}
	if _, err := r.after(streamName{"a", "s4500"}, -1); !errors.Is(err, mcp.ErrEventsPurged) {
		t.Errorf("of dropped bytes it says %v", err)
	}
	if _, err := r.after(streamName{"a", "s0"}, -1); !errors.Is(err, errForgotten) {
		t.Errorf("of a forgotten stream it says %v", err)
	}
	if got, err := r.after(streamName{"a", "s4999"}, 7); err != nil || len(got) != 0 {
		t.Errorf("after the last there are %d, %v", len(got), err)
	}
	r.sweep(time.Now().Add(2 * replayWithin))
	if len(r.kept) != 0 || r.bytes != 0 {
		t.Errorf("%d streams of %d bytes are kept after their time", len(r.kept), r.bytes)
	}
	if err := r.Open(t.Context(), "b", ""); err != nil {
		t.Fatal(err)
	}
	for range 2 * maxToldEvents {
		if err := r.Append(t.Context(), "b", "", []byte("y")); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(r.kept[streamName{"b", ""}].data); n > maxToldEvents || r.bytes != n {
		t.Errorf("%d events of %d bytes are kept of one stream", n, r.bytes)
	}
	if err := r.SessionClosed(t.Context(), "b"); err != nil || len(r.kept) != 0 || r.bytes != 0 {
		t.Errorf("%d streams of %d bytes are kept of a session that is over, %v", len(r.kept), r.bytes, err)
	}
}
