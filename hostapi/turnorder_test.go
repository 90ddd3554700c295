package hostapi

import (
	"context"
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
		time.Sleep(time.Millisecond) // nothing tells
	}
}

// TestWhoUsedTurnsLeastIsNext of every second turn, however many turns that were, and of several the
// one that came last; the others go to who waits longest.
func TestWhoUsedTurnsLeastIsNext(t *testing.T) {
	t.Parallel()
	o := newOrder(t)
	one, two := o.turns.Queue(nil), o.turns.Queue(nil)
	held := [2]func(){<-o.ask(t.Context(), one), <-o.ask(t.Context(), two)}
	much, little := o.turns.Queue(nil), o.turns.Queue(nil)
	much.used = time.Second
	little.used = 10 * time.Millisecond
	waits := []chan func(){}
	for _, q := range []*TurnQueue{much, o.turns.Queue(nil), little, o.turns.Queue(nil)} {
		waits = append(waits, o.ask(t.Context(), q))
	}
	for n, want := range []int{3, 0, 1, 2} {
		held[n%2]()
		for i, came := range waits {
			if i != want && len(came) > 0 {
				t.Fatalf("turn %d went to %d; want %d", n, i, want)
			}
		}
		held[n%2] = <-waits[want]
	}
	held[0]()
	held[1]()
}

// TestTurnsAreCountedByTheirTime.
func TestTurnsAreCountedByTheirTime(t *testing.T) {
	t.Parallel()
	o := newOrder(t)
	q := o.turns.Queue(nil)
	for range 3 {
		leave := <-o.ask(t.Context(), q)
		o.pass(2 * time.Second)
		leave()
	}
	if q.used != 6*time.Second {
		t.Errorf("got %v", q.used)
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
