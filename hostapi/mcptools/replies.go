package mcptools

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
)

const (
	// maxReplies is how many replies to a server's own requests may wait to be sent.
	maxReplies = 64
	// maxDropped is how many replies are dropped before the connection is closed.
	maxDropped = 100_000
)

var errDeaf = errors.New("it sends requests without end and does not read the replies")

// replies are the replies to a server's own requests. They wait for the server;
// nothing waits for them.
type replies struct {
	waiting chan json.RawMessage
	dropped atomic.Int64
	note    func(string)
}

func newReplies(note func(string)) *replies {
	return &replies{waiting: make(chan json.RawMessage, maxReplies), note: note}
}

// put adds a reply if there is room. An error means that the connection must end.
func (r *replies) put(reply json.RawMessage) error {
	select {
	case r.waiting <- reply:
		return nil
	default:
	}
	switch n := r.dropped.Add(1); {
	case n == 1:
		r.note(fmt.Sprintf("it does not read the replies to its own requests; beyond %d they are dropped", maxReplies))
	case n > maxDropped:
		return errDeaf
	}
	return nil
}
