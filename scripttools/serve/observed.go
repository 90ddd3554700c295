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
	sent    int // bytes
	began   time.Time
	beat    *time.Timer // nil if the client wants no progress
	any     bool        // progress was sent
	last    float64     // of it
	total   float64     // that the script gave last; 0 for none
	late    bool        // the call is over: nothing more is sent
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

// beatEvery is how long a call is silent at most. Some clients give a call up after a
// minute without a word, but for those that told progress.
const beatEvery = 10 * time.Second

func observe(ctx context.Context, request *mcp.CallToolRequest) *observed {
	o := &observed{ctx: ctx, session: request.Session, token: request.Params.GetProgressToken()}
	if o.token != nil {
		o.began = time.Now()
		o.mu.Lock() // the timer is set when it is looked at
		o.beat = time.AfterFunc(beatEvery, o.alive)
		o.mu.Unlock()
	}
	return o
}

// alive tells that the call goes on.
func (o *observed) alive() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return
	}
	sent := o.sent
	o.sent = 0 // a script that said too much does not silence this
	o.progress(0, fmt.Sprintf("running for %v", time.Since(o.began).Round(time.Second)))
	o.sent = sent
	o.beat.Reset(beatEvery)
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
		if o.beat != nil {
			o.beat.Stop()
		}
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

// put is tell with o.mu held. It reports whether the notification is sent.
func (o *observed) put(size int, event func(context.Context)) bool {
	if o.closed {
		return false
	}
	if o.sent += notice + size; o.sent > maxNotified {
		o.sent = maxNotified // so that it never overflows
		o.dropped++
		return false
	}
	if o.events == nil {
		o.begin()
	}
	select {
	case o.events <- event:
		return true
	default: // the client does not keep up
		o.dropped++
		return false
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
	done = max(done, 0)
	if o.any && done <= o.last {
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
	o.last, o.any = done, true
	p := &mcp.ProgressNotificationParams{ProgressToken: o.token, Message: message, Progress: done}
	if done <= o.total {
		p.Total = o.total
	}
	if o.put(len(message), func(ctx context.Context) { _ = o.session.NotifyProgress(ctx, p) }) && o.beat != nil {
		o.beat.Reset(beatEvery)
	}
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
