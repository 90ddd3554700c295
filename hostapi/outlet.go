package hostapi

import "sync"

// CallOutput is a piece of what a call writes while it goes on.
type CallOutput struct {
	// Seq and Tool are those of the call.
	Seq  int
	Tool string
	// Stream is what it was written to, such as "stdout" or "stderr".
	Stream string
	// Data is what was written, of text whole characters. It is the observer's.
	// It is empty where all that is told is Dropped, at the end of a call.
	Data []byte
	// Dropped counts the bytes of Stream before Data that the observer is not
	// told, as it had not taken in time what came before them.
	Dropped int64
}

// What an observer may leave untaken, in bytes, and in pieces that could not be
// joined, before more is dropped.
const (
	maxUntaken       = 256 << 10
	maxUntakenPieces = 1024
	maxPiece         = 64 << 10
)

// outlet tells one observer what calls write, in order and on a goroutine of its
// own, so that an observer that takes its time holds up nobody.
type outlet struct {
	tell func(CallOutput)

	mu      sync.Mutex
	untaken []CallOutput
	size    int
	dropped map[source]int64
	telling chan struct{} // closed when nothing is untaken; nil while that is so
	closed  bool
}

// source is a stream of a call.
type source struct {
	seq    int
	stream string
}

// put takes what a call has written; it is a copy that is kept.
func (o *outlet) put(call Call, stream string, p []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed || len(p) == 0 {
		return
	}
	from := source{call.Seq, stream}
	if o.size+len(p) > maxUntaken || len(o.untaken) >= maxUntakenPieces {
		if o.dropped == nil {
			o.dropped = map[source]int64{}
		}
		o.dropped[from] += int64(len(p))
		return
	}
	o.size += len(p)
	if n := len(o.untaken); n > 0 && o.dropped[from] == 0 {
		last := &o.untaken[n-1]
		if last.Seq == call.Seq && last.Stream == stream && len(last.Data)+len(p) <= maxPiece {
			last.Data = append(last.Data, p...)
			return
		}
	}
	o.add(CallOutput{Seq: call.Seq, Tool: call.Tool, Stream: stream, Data: append([]byte(nil), p...), Dropped: o.dropped[from]})
	delete(o.dropped, from)
}

// ended tells what was dropped last of a call that writes no more.
func (o *outlet) ended(call Call) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for from, n := range o.dropped {
		if from.seq == call.Seq && !o.closed {
			o.add(CallOutput{Seq: call.Seq, Tool: call.Tool, Stream: from.stream, Dropped: n})
			delete(o.dropped, from)
		}
	}
}

// add has a piece told, with o.mu held.
func (o *outlet) add(piece CallOutput) {
	o.untaken = append(o.untaken, piece)
	if o.telling == nil {
		o.telling = make(chan struct{})
		go o.run()
	}
}

// run tells until nothing is left.
func (o *outlet) run() {
	for {
		o.mu.Lock()
		if len(o.untaken) == 0 {
			close(o.telling)
			o.telling = nil
			o.mu.Unlock()
			return
		}
		next := o.untaken[0]
		o.untaken = o.untaken[1:]
		o.size -= len(next.Data)
		o.mu.Unlock()
		observe(o.tell, next)
	}
}

// idle is closed when the observer has taken everything, and nil if it has.
func (o *outlet) idle() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.telling
}

// close forgets what the observer has not taken.
func (o *outlet) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed, o.untaken, o.size = true, nil, 0
}

// outlets are those of all observers of a run.
type outlets []*outlet

func newOutlets(tell []func(CallOutput)) outlets {
	var all outlets
	for _, f := range tell {
		if f != nil {
			all = append(all, &outlet{tell: f})
		}
	}
	return all
}

// of is where a call writes to; nil where nobody is told.
func (o outlets) of(call Call) func(stream string, p []byte) {
	if len(o) == 0 {
		return nil
	}
	return func(stream string, p []byte) {
		for _, one := range o {
			one.put(call, stream, p)
		}
	}
}

func (o outlets) ended(call Call) {
	for _, one := range o {
		one.ended(call)
	}
}

// close waits until all is taken, or late, and forgets the rest.
func (o outlets) close(late <-chan struct{}) {
	for _, one := range o {
		if telling := one.idle(); telling != nil {
			select {
			case <-telling:
			case <-late:
			}
		}
		one.close()
	}
}
