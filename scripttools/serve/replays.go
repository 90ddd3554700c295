package serve

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// replays keeps the events of streams over HTTP for clients that lose a connection and
// come back. A stream is forgotten some time after its request was answered. Over the
// bound on bytes, the oldest streams lose their events.
type replays struct {
	most   int // bytes
	mu     sync.Mutex
	bytes  int
	opened int64 // streams, so far
	kept   map[streamName]*told
	ended  []endedStream // oldest first
}

var _ mcp.EventStore = (*replays)(nil)

// streamName names a stream. The library opens a stream for a request, and Open puts
// its name into the request's context.
type streamName struct{ session, stream string }

type streamNameKey struct{}

// streamOf is a stream and its request.
type streamOf struct {
	name streamName
	post *posted
}

// told is the events of a stream.
type told struct {
	number int64
	post   *posted
	first  int // events that are no longer kept
	data   [][]byte
}

type endedStream struct {
	name streamName
	when time.Time
}

const (
	maxReplayBytes = 64 << 20
	// maxToldEvents is how many events of one stream are kept.
	maxToldEvents = 1000
	// maxEnded streams are kept for replayWithin after their requests were answered:
	// the last answer may not have arrived.
	maxEnded     = 1000
	replayWithin = time.Minute
)

var errForgotten = errors.New("the events of this stream are no longer kept")

func newReplays(most int) *replays {
	return &replays{most: most, kept: map[streamName]*told{}}
}

// Open implements [mcp.EventStore].
func (r *replays) Open(ctx context.Context, session, stream string) error {
	name := streamName{session, stream}
	of, _ := ctx.Value(streamNameKey{}).(*streamOf)
	if of == nil || stream == "" {
		of = &streamOf{}
	}
	of.name = name
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sweep(time.Now())
	if r.kept[name] == nil {
		r.opened++
		r.kept[name] = &told{number: r.opened, post: of.post}
	}
	return nil
}

// Append implements [mcp.EventStore].
func (r *replays) Append(_ context.Context, session, stream string, data []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.kept[streamName{session, stream}]
	if t == nil {
		return errForgotten
	}
	if t.post != nil && isAnswer(data) {
		t.post.answered()
	}
	t.data = append(t.data, data)
	r.bytes += len(data)
	if len(t.data) > maxToldEvents {
		r.drop(t, 1)
	}
	for r.bytes > r.most {
		r.drop(r.oldest(), 1)
	}
	return nil
}

// isAnswer reports whether a message of ours is a response. Requests and notifications
// name their method before anything long.
func isAnswer(data []byte) bool {
	head := data[:min(len(data), 100)]
	return bytes.Contains(head, []byte(`"id":`)) && !bytes.Contains(head, []byte(`"method":`))
}

// oldest is the stream that was opened first of those with bytes. The caller knows that
// there is one.
func (r *replays) oldest() (oldest *told) {
	for _, t := range r.kept {
		if len(t.data) > 0 && (oldest == nil || t.number < oldest.number) {
			oldest = t
		}
	}
	return oldest
}

// drop forgets the first events of a stream.
func (r *replays) drop(t *told, events int) {
	for _, data := range t.data[:events] {
		r.bytes -= len(data)
	}
	clear(t.data[:events])
	t.data = t.data[events:]
	t.first += events
}

func (r *replays) forget(name streamName) {
	if t := r.kept[name]; t != nil {
		r.drop(t, len(t.data))
		delete(r.kept, name)
	}
}

// end notes that the request of a stream was answered or given up.
func (r *replays) end(name streamName) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kept[name] != nil {
		r.ended = append(r.ended, endedStream{name, time.Now()})
	}
	r.sweep(time.Now())
}

// sweep forgets the streams that have been kept long enough. mu is held.
func (r *replays) sweep(now time.Time) {
	for len(r.ended) > 0 && (len(r.ended) > maxEnded || now.Sub(r.ended[0].when) > replayWithin) {
		r.forget(r.ended[0].name)
		r.ended = r.ended[1:]
	}
}

// After implements [mcp.EventStore].
func (r *replays) After(_ context.Context, session, stream string, index int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		events, err := r.after(streamName{session, stream}, index)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, event := range events {
			if !yield(event, nil) {
				return
			}
		}
	}
}

func (r *replays) after(name streamName, index int) ([][]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.kept[name]
	switch {
	case t == nil:
		return nil, errForgotten
	case index+1 < t.first:
		return nil, mcp.ErrEventsPurged
	}
	return slices.Clone(t.data[min(index+1-t.first, len(t.data)):]), nil
}

// SessionClosed implements [mcp.EventStore].
func (r *replays) SessionClosed(_ context.Context, session string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for name := range r.kept {
		if name.session == session {
			r.forget(name)
		}
	}
	return nil
}
