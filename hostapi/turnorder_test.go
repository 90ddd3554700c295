package hostapi

import (
	"context"
	"runtime"
	"testing"
	"time"
)

// orderOfTurns are turns with a clock of their own.
type orderOfTurns struct {
	*testing.T

	turns Turns
	at    time.Time
}

func newOrder(t *testing.T) *orderOfTurns {
	o := &orderOfTurns{T: t, at: time.Unix(1000, 0)}
	o.turns.clock = func() time.Time { return o.at }
	return o
}

// pass lets time pass.
func (o *orderOfTurns) pass(d time.Duration) {
	o.turns.mu.Lock()
	defer o.turns.mu.Unlock()
	o.at = o.at.Add(d)
}

// ask waits until somebody has a turn, or waits for it.
func (o *orderOfTurns) ask(ctx context.Context, q *TurnQueue) (came chan func()) {
	o.turns.mu.Lock()
	before := o.turns.taken + len(o.turns.waiting)
	o.turns.mu.Unlock()
	came = make(chan func(), 1)
	go func() {
		leave, err := q.take(context.WithoutCancel(ctx), ctx)
		if err != nil {
			o.Error(err)
		}
		came <- leave
	}()
	o.until(func() bool { return o.turns.taken+len(o.turns.waiting) > before })
	return came
}

func (o *orderOfTurns) until(so func() bool) {
	for {
		o.turns.mu.Lock()
		is := so()
		o.turns.mu.Unlock()
		if is {
			return
		}
		runtime.Gosched()
	}
}

// used is a queue that had a turn for d.
func (o *orderOfTurns) used(d time.Duration) *TurnQueue {
	q := o.turns.Queue(nil)
	leave := <-o.ask(o.Context(), q)
	o.pass(d)
	leave()
	return q
}

// TestWhoUsedTurnsComesLater than those that did not, by as long, and by some seconds at most.
func TestWhoUsedTurnsComesLater(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		used  time.Duration
		later time.Duration // how much later than that run another asks
		first bool          // the other is first
	}{
		{"they asked one after the other", 0, time.Second, false},
		{"one used turns", 3 * time.Second, 2 * time.Second, true},
		{"it waited as long", 3 * time.Second, 4 * time.Second, false},
		{"it used very much", time.Hour, maxBehind - time.Second, true},
		{"it used very much and waited", time.Hour, maxBehind + time.Second, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := newOrder(t)
			much, little := o.used(c.used), o.turns.Queue(nil)
			held := []func(){<-o.ask(t.Context(), o.turns.Queue(nil)), <-o.ask(t.Context(), o.turns.Queue(nil))}
			one := o.ask(t.Context(), much)
			o.pass(c.later)
			other := o.ask(t.Context(), little)
			next, last := one, other
			if c.first {
				next, last = other, one
			}
			held[0]()
			leave := <-next
			if len(last) > 0 {
				t.Error("both came")
			}
			leave()
			(<-last)()
			held[1]()
		})
	}
}

// TestRunsThatAreOverHoldUpNobody: what their tools do all the same is done beside those that have
// a turn, and no more of it than of those.
func TestRunsThatAreOverHoldUpNobody(t *testing.T) {
	t.Parallel()
	o := newOrder(t)
	var left []func()
	for range maxTurns + maxAside {
		life, end := context.WithCancel(t.Context())
		left = append(left, <-o.ask(life, o.turns.Queue(nil)))
		end() // and the tool goes on
		o.until(func() bool { return o.turns.over == len(left) })
	}
	waits := o.ask(t.Context(), o.turns.Queue(nil))
	if len(waits) > 0 {
		t.Fatal("more than so many were made at once")
	}
	left[0]()
	leave := <-waits
	for _, end := range append(left[1:], leave) {
		end()
	}
	if o.turns.taken != 0 || o.turns.over != 0 {
		t.Errorf("%d turns and %d of runs that are over", o.turns.taken, o.turns.over)
	}
}
