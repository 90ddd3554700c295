package mcptools

import (
	"context"
	"sync"
	"sync/atomic"
)

// delivery is what the transport knows about one request and the library does not
// tell.
type delivery struct {
	tooMuch atomic.Int64 // the limit that the answer exceeded, in bytes; 0 if it did not

	mu      sync.Mutex
	sent    bool
	writing chan struct{} // closed once sent is known; nil before the request is written
}

// begin is called when the request is written, and end once it is known whether it was
// sent.
func (d *delivery) begin() (end func(sent bool)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	writing := make(chan struct{})
	d.writing = writing
	return func(sent bool) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.sent = sent
		close(writing)
	}
}

// maybeSent reports whether the server may have read the request. If the request is
// still being written, it waits, at most until ctx ends.
func (d *delivery) maybeSent(ctx context.Context) bool {
	d.mu.Lock()
	writing := d.writing
	d.mu.Unlock()
	if writing == nil {
		return false
	}
	select {
	case <-writing:
	case <-ctx.Done():
		return true
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.sent
}

type deliveryKey struct{}

func withDelivery(ctx context.Context) (context.Context, *delivery) {
	d := &delivery{}
	return context.WithValue(ctx, deliveryKey{}, d), d
}

// deliveryOf is never nil.
func deliveryOf(ctx context.Context) *delivery {
	if d, ok := ctx.Value(deliveryKey{}).(*delivery); ok {
		return d
	}
	return &delivery{}
}
