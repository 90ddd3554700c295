package mcptools

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
)

const (
	// maxReplies is how many answers to a server's own requests wait to be read.
	maxReplies = 64
	// maxDropped is how many are dropped before a server is given up that asks and
	// does not read.
	maxDropped = 100_000
)

var errDeaf = errors.New("it asks without end, and does not read what it is answered")

// replies are the answers to what a server asks. They wait for the server, and
// nobody for them.
type replies struct {
	waiting chan json.RawMessage
	dropped atomic.Int64
	note    func(string)
}

func newReplies(note func(string)) *replies {
	return &replies{waiting: make(chan json.RawMessage, maxReplies), note: note}
}

// put adds one if there is room. The error says that the server is to be given up.
func (r *replies) put(reply json.RawMessage) error {
	select {
	case r.waiting <- reply:
		return nil
	default:
	}
	switch n := r.dropped.Add(1); {
	case n == 1:
		r.note(fmt.Sprintf("it does not read the answers to its own requests; beyond %d they are dropped", maxReplies))
	case n > maxDropped:
		return errDeaf
	}
	return nil
}
