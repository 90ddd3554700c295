package serve

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/plain"
	"github.com/scriptrun/scriptrun/runtime"
)

// observed tells a client how its call is doing. A client that does not listen
// holds nobody up: what it has not taken is dropped, and counted.
type observed struct {
	ctx     context.Context
	session *mcp.ServerSession
	token   any
	events  chan func(context.Context)
	told    chan struct{}
	closing sync.Once

	mu      sync.Mutex
	closed  bool
	dropped int
	sent    int     // bytes
	last    float64 // of the progress that was told
	total   float64 // as the script said last; 0 where it says none
	late    bool    // the call is over: nothing more is told
	outputs outputs
}

const (
	maxEvents = 256
	// maxNotified is how many bytes of notifications one call sends: a script can
	// write without end what its receipt keeps a bounded part of.
	maxNotified = 256 << 10
	// notice is about how much one takes besides its text.
	notice = 200
	// lastWords is how long a client may take to hear the rest.
	lastWords = time.Second
)

func observe(ctx context.Context, request *mcp.CallToolRequest) *observed {
	return &observed{ctx: ctx, session: request.Session, token: request.Params.GetProgressToken()}
}

// begin makes the goroutine that tells; most calls have nothing to tell.
func (o *observed) begin() {
	o.events, o.told = make(chan func(context.Context), maxEvents), make(chan struct{})
	go func() {
		defer close(o.told)
		for tell := range o.events {
			if !o.over() {
				tell(o.ctx)
			}
		}
		o.mu.Lock()
		dropped := o.dropped
		o.mu.Unlock()
		if dropped > 0 && !o.over() {
			_ = o.session.Log(o.ctx, &mcp.LoggingMessageParams{ //nolint:staticcheck // as long as clients ask for it
				Level: "warning", Logger: "scriptrun", Data: fmt.Sprintf("%d notifications were dropped, for they came faster than they were taken, or were too much; the receipt has all logs that are kept", dropped)})
		}
	}()
}

// close lets the client hear the rest. It may be called more than once.
func (o *observed) close() {
	o.closing.Do(func() {
		o.endOutputs()
		o.mu.Lock()
		o.closed = true
		silent := o.events == nil
		if !silent {
			close(o.events)
		}
		o.mu.Unlock()
		if silent {
			return
		}
		timer := time.NewTimer(lastWords)
		defer timer.Stop()
		select {
		case <-o.told:
		case <-o.ctx.Done():
		case <-timer.C:
		}
		o.mu.Lock()
		o.late = true
		o.mu.Unlock()
	})
}

// over reports whether the client has its answer: it is told nothing after that.
func (o *observed) over() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.late
}

// tell sends a notification with a text of so many bytes.
func (o *observed) tell(size int, event func(context.Context)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.put(size, event)
}

// put is tell with o.mu held.
func (o *observed) put(size int, event func(context.Context)) {
	if o.closed {
		return
	}
	if o.sent += notice + size; o.sent > maxNotified {
		o.sent = maxNotified // and no sum runs over
		o.dropped++
		return
	}
	if o.events == nil {
		o.begin()
	}
	select {
	case o.events <- event:
	default: // the client does not keep up
		o.dropped++
	}
}

// observer turns what a run does into notifications.
func (o *observed) observer(tool string) runtime.Observer {
	observer := runtime.Observer{Logged: func(e runtime.Entry) {
		o.tell(len(e.Text), func(ctx context.Context) {
			_ = o.session.Log(ctx, &mcp.LoggingMessageParams{ //nolint:staticcheck // as long as clients ask for it
				Level: levelOf(e.Level), Logger: tool, Data: e.Text})
		})
	}}
	if o.token == nil {
		return observer
	}
	observer.Progressed = func(p runtime.Progress) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.total = p.Total
		o.progress(p.Done, p.Message)
	}
	observer.CallOutput = o.output
	observer.CallStarted = func(c hostapi.Call) { o.goOn(fmt.Sprintf("call %d: %s", c.Seq, c.Tool)) }
	observer.CallEnded = func(r hostapi.Record) {
		o.goOn(fmt.Sprintf("call %d: %s, %s", r.Seq, plain.Quote(r.Tool), r.Status))
	}
	return observer
}

// step is by how little a notification goes on that knows no more: each must go
// on, as the protocol has it. It leaves whole numbers to the script.
const step = 0.0001

// goOn tells that something went on.
func (o *observed) goOn(message string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.progress(0, message)
}

// progress tells how far the call has come, at least a step further than before
// and short of the total, with o.mu held: what is numbered first goes first.
func (o *observed) progress(done float64, message string) {
	if done <= o.last {
		by := step
		if o.total > o.last {
			by = min(by, (o.total-o.last)/2)
		}
		done = max(o.last+by, math.Nextafter(o.last, math.Inf(1)))
	}
	if math.IsInf(done, 1) {
		return // there is no further
	}
	o.last = done
	p := &mcp.ProgressNotificationParams{ProgressToken: o.token, Message: message, Progress: done}
	if done <= o.total {
		p.Total = o.total
	}
	o.put(len(message), func(ctx context.Context) { _ = o.session.NotifyProgress(ctx, p) })
}

func levelOf(console string) mcp.LoggingLevel { //nolint:staticcheck // as above
	switch console {
	case "warn":
		return "warning"
	case "error", "debug":
		return mcp.LoggingLevel(console) //nolint:staticcheck // as above
	}
	return "info"
}
