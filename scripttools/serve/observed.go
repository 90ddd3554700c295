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

// observed tells a client how its call is doing. It does not wait for a client that
// does not listen: it drops and counts what the client has not taken.
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
	last    float64 // progress sent
	total   float64 // that the script gave last; 0 for none
	late    bool    // the call is over: nothing more is sent
	outputs outputs
}

const (
	maxEvents = 256
	// maxNotified limits the bytes of one call's notifications: a script can write
	// without end, of which its receipt keeps a bounded part.
	maxNotified = 256 << 10
	// notice is about how many bytes a notification takes besides its text.
	notice = 200
	// lastWords is how long a client may take to read the notifications that are left
	// at the end.
	lastWords = time.Second
)

func observe(ctx context.Context, request *mcp.CallToolRequest) *observed {
	return &observed{ctx: ctx, session: request.Session, token: request.Params.GetProgressToken()}
}

// begin starts the goroutine that sends; most calls have nothing to send.
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
				Level: "warning", Logger: "scriptrun", Data: fmt.Sprintf("%d notifications were dropped because they came faster than the client read them, or because they were too many; the receipt has all logs that were kept", dropped)})
		}
	}()
}

// close gives the client time to read what is left. It may be called more than once.
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

// over reports whether the call is over: nothing is sent after that.
func (o *observed) over() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.late
}

// tell sends a notification whose text has size bytes.
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
		o.sent = maxNotified // so that it never overflows
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

// step is how far progress moves with a notification that has no number of its own: the
// protocol wants each one to increase. It leaves whole numbers to the script.
const step = 0.0001

// goOn sends progress without a number of its own.
func (o *observed) goOn(message string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.progress(0, message)
}

// progress sends how far the call has come: at least a step further than before, and
// short of the total. o.mu is held, so that notifications go out in order.
func (o *observed) progress(done float64, message string) {
	if done <= o.last {
		by := step
		if o.total > o.last {
			by = min(by, (o.total-o.last)/2)
		}
		done = max(o.last+by, math.Nextafter(o.last, math.Inf(1)))
	}
	if math.IsInf(done, 1) {
		return // it cannot increase
	}
	if short := math.Round(done/step) / (1 / step); short > o.last && short < 1e9 && (short < o.total || done >= o.total) { // sums have long tails of digits
		done = short
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
