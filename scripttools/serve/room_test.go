package serve

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

const mib = 1 << 20

// waiters take room one after the other, and remember who had it.
type waiters struct {
	t  *testing.T
	in *room
	mu sync.Mutex
	// had are their names, in order.
	had []string
	got map[string]*taken
}

func (w *waiters) wait(name, client string, session int, size int64, cut func()) {
	go func() {
		got, err := w.in.take(w.t.Context(), claimant{client, session}, size, cut)
		if err != nil {
			return
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.had, w.got[name] = append(w.had, name), got
	}()
	synctest.Wait()
}

func (w *waiters) give(name string) {
	w.mu.Lock()
	got := w.got[name]
	w.mu.Unlock()
	got.shrink(0)
}

func (w *waiters) leave(name string) {
	w.give(name)
	synctest.Wait()
}

func (w *waiters) want(names ...string) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Equal(w.had, names) {
		w.t.Fatalf("%q had room, not %q", w.had, names)
	}
}

func inRoom(t *testing.T, most, mostOfSession int64, test func(*testing.T, *waiters)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		test(t, &waiters{t: t, in: newRoom(most, mostOfSession), got: map[string]*taken{}})
	})
}

// TestWhoHoldsLeastIsNext: a client that takes much, in many sessions, waits behind one
// that takes little, and among its own the session that holds least is next.
func TestWhoHoldsLeastIsNext(t *testing.T) {
	inRoom(t, 4*mib, 4*mib, func(t *testing.T, w *waiters) {
		w.wait("a1", "a", 1, 2*mib, nil)
		w.wait("a2", "a", 2, 2*mib, nil)
		w.want("a1", "a2")
		w.wait("a3", "a", 3, 2*mib, nil)
		w.wait("a1 more", "a", 1, 2*mib, nil)
		w.wait("b", "b", 4, 2*mib, nil)
		w.want("a1", "a2")
		w.leave("a2")
		w.want("a1", "a2", "b")
		w.leave("b")
		w.want("a1", "a2", "b", "a3")
		w.leave("a3")
		w.leave("a1")
		w.want("a1", "a2", "b", "a3", "a1 more")
	})
}

// TestMuchIsNotPassedBy: who is next and asks for much is not passed by others that
// would fit, and who gives up stands in nobody's way.
func TestMuchIsNotPassedBy(t *testing.T) {
	inRoom(t, 4*mib, 4*mib, func(t *testing.T, w *waiters) {
		w.wait("a", "a", 1, 3*mib, nil)
		ctx, giveUp := context.WithCancelCause(t.Context())
		gone := make(chan error)
		go func() {
			_, err := w.in.take(ctx, claimant{"b", 2}, 4*mib, nil)
			gone <- err
		}()
		synctest.Wait()
		w.wait("c", "c", 3, mib, nil)
		w.want("a")
		mine := errors.New("mine")
		giveUp(mine)
		if err := <-gone; !errors.Is(err, mine) {
			t.Error(err)
		}
		synctest.Wait()
		w.want("a", "c")
	})
}

// TestSessionsHaveAShareOfTheRoom: one that has as much as it may waits for itself, and
// others pass it; what is larger than its share has it alone; what is small does not
// wait for what is large.
func TestSessionsHaveAShareOfTheRoom(t *testing.T) {
	inRoom(t, 4*mib, 2*mib, func(t *testing.T, w *waiters) {
		w.wait("large", "a", 1, 100*mib, nil)
		w.wait("more", "a", 1, mib, nil)
		w.wait("other", "a", 2, 2*mib, nil)
		w.want("large", "other")
		w.wait("small", "b", 3, smallAnswer, nil)
		w.want("large", "other", "small")
		w.leave("large")
		w.want("large", "other", "small", "more")
		if w.in.try(claimant{"a", 1}, mib+1, nil) != nil || w.in.try(claimant{"c", 4}, mib+1, nil) != nil {
			t.Error("there was room")
		}
		got := w.in.try(claimant{"c", 4}, mib, nil)
		if got == nil {
			t.Fatal("there was no room")
		}
		got.shrink(0)
		got.shrink(0)
		w.leave("other")
		if w.in.large.held != mib || len(w.in.large.sessions) != 1 || len(w.in.large.clients) != 1 || len(w.in.large.holding) != 0 {
			t.Errorf("%+v", w.in.large)
		}
	})
}

// TestWhoOverstaysIsCutShort: the oldest first, when others wait, as far as they need
// it, and who cannot be cut is left.
func TestWhoOverstaysIsCutShort(t *testing.T) {
	inRoom(t, 4*mib, 4*mib, func(t *testing.T, w *waiters) {
		var mu sync.Mutex
		var cut []string
		cutting := func(name string) func() {
			return func() {
				mu.Lock()
				cut = append(cut, name)
				mu.Unlock()
				w.give(name)
			}
		}
		want := func(names ...string) {
			t.Helper()
			mu.Lock()
			defer mu.Unlock()
			if slices.Sort(cut); !slices.Equal(cut, names) {
				t.Fatalf("%q were cut, not %q", cut, names)
			}
		}
		w.wait("a", "a", 1, mib, nil)
		w.wait("b", "a", 2, mib, cutting("b"))
		time.Sleep(time.Second)
		w.wait("c", "a", 3, mib, cutting("c"))
		w.wait("d", "a", 4, mib, cutting("d"))
		time.Sleep(time.Hour)
		want() // nobody waits
		w.wait("e", "b", 5, 2*mib, cutting("e"))
		synctest.Wait()
		want("b", "c")
		w.want("a", "b", "c", "d", "e")
		w.wait("f", "c", 6, 3*mib, nil)
		want("b", "c", "d")
		time.Sleep(overstay - time.Second)
		synctest.Wait()
		want("b", "c", "d")
		time.Sleep(2 * time.Second)
		synctest.Wait()
		want("b", "c", "d", "e")
		w.want("a", "b", "c", "d", "e", "f")
	})
}

// TestWhoListensForLongMakesRoom: of the streams that are resumed at once, one that has
// lasted for long ends for one that comes.
func TestWhoListensForLongMakesRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &callers{resumed: newHall(maxResumedOfAll, maxResumed)}
		var cut sync.Map
		listen := func(n int) (done func()) {
			key := callerKey{session: string(rune('a' + n/maxResumed))}
			done, ok := c.listen(&caller{}, key, "somebody", func() { cut.Store(n, true) })
			if !ok {
				return nil
			}
			return done
		}
		var ends []func()
		for n := range maxResumedOfAll {
			ends = append(ends, listen(n))
			time.Sleep(time.Second)
		}
		if listen(1) != nil {
			t.Error("a fifth of a session listens")
		}
		if listen(maxResumedOfAll) != nil {
			t.Error("there was room")
		}
		time.Sleep(overstay - maxResumedOfAll*time.Second)
		synctest.Wait()
		if _, was := cut.Load(0); was {
			t.Error("one ended for nobody")
		}
		if listen(maxResumedOfAll) != nil {
			t.Error("there was room")
		}
		synctest.Wait()
		_, first := cut.Load(0)
		if _, second := cut.Load(1); !first || second {
			t.Error("not just the oldest was cut short")
		}
		ends[0]()
		done := listen(maxResumedOfAll)
		if done == nil {
			t.Fatal("there was no room")
		}
		for _, end := range append(ends[1:], done) {
			end()
		}
		if c.resumed.held != 0 {
			t.Error(c.resumed.held, "are left")
		}
	})
}
