package mcptools

import (
	"context"
	"sync/atomic"
)

// delivery is what the transport knows of one request, which the library does
// not tell.
type delivery struct {
	sent    atomic.Bool  // the server may have read it
	tooMuch atomic.Int64 // the bytes that an answer may have, and had more
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
