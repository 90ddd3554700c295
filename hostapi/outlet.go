package hostapi

import "sync"

// CallOutput is a piece of what a call writes while it runs.
type CallOutput struct {
	// Seq and Tool name the call.
	Seq  int
	Tool string
	// Stream is "stdout" or "stderr", for example.
	Stream string
	// Data is what was written; text is in whole characters. The observer may keep
	// it. It is empty if only Dropped is reported, at the end of a call.
	Data []byte
	// Dropped counts the bytes of Stream before Data that were dropped because the
	// observer was too slow.
	Dropped int64
}

// How much may wait for an observer before more is dropped, in bytes and in pieces.
const (
	maxUntaken       = 256 << 10
	maxUntakenPieces = 1024
	maxPiece         = 64 << 10
)

// outlet tells one observer what calls write, in order and on a goroutine of its own,
// so that a slow observer delays nothing.
type outlet struct {
	tell func(CallOutput)

	mu      sync.Mutex
	untaken []CallOutput
	size    int
	dropped map[source]int64
	telling chan struct{} // closed once all is taken; nil if all was
	closed  bool
}

// source is a stream of a call.
type source struct {
	seq    int
	stream string
}

// put queues a copy of what a call wrote.
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

// ended reports what was dropped at the end of a call.
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

// add queues a piece, with o.mu held.
func (o *outlet) add(piece CallOutput) {
	o.untaken = append(o.untaken, piece)
	if o.telling == nil {
		o.telling = make(chan struct{})
		go o.run()
	}
}

// run tells the observer until the queue is empty.
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

// idle is closed once the observer has taken everything; nil if it has.
func (o *outlet) idle() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.telling
}

// close drops what the observer has not taken.
func (o *outlet) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed, o.untaken, o.size = true, nil, 0
}

// outlets are the outlets of all observers.
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

// of is what a call writes to; nil without observers.
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

// close waits until all is taken or late is closed, and drops the rest.
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
