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

// waiters claim room one after the other, and remember who got it.
type waiters struct {
	t  *testing.T
	in *room
	mu sync.Mutex
	// had are their names, in order.
	had []string
	got map[string]*taken
}

func (w *waiters) wait(name, client string, session int, size int64, short func()) {
	go func() {
		got, err := w.in.take(w.t.Context(), claimant{client, session}, size, cutBy(short))
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

// TestWhoHoldsLeastIsNext: a client that takes much, in many sessions, waits behind one that
// takes little, and of its own sessions the one that holds least is next.
func TestWhoHoldsLeastIsNext(t *testing.T) {
	inRoom(t, 4*mib, 4*mib, func(t *testing.T, w *waiters) {
		w.wait("a1", "a", 1, 2*mib, nil)
		w.wait("a2", "a", 2, 2*mib, nil)
		w.want("a1", "a2")
		w.wait("a1 more", "a", 1, 2*mib, nil)
		w.wait("a3", "a", 3, 2*mib, nil)
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

// TestMuchIsNotPassedBy: smaller claims that would fit do not overtake a large one that is
// next, and a claim that is given up blocks nobody.
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

// TestSessionsHaveAShareOfTheRoom: a session with its full share waits for itself while others
// pass it; a claim larger than the share takes all of it; small claims do not wait for large
// ones.
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

// TestWhoOverstaysIsCutShort: the oldest is cut first, when others wait, as far as they need
// it; a holder that cannot be cut stays.
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

// TestWhoHoldsMostIsCutShort: of those that have overstayed, the client that holds most is cut,
// even if another one came first, and even if it is the one that waits.
func TestWhoHoldsMostIsCutShort(t *testing.T) {
	inRoom(t, 4*mib, 4*mib, func(t *testing.T, w *waiters) {
		var mu sync.Mutex
		var cut []string
		taking := func(name, client string, session int) {
			w.wait(name, client, session, mib, func() {
				mu.Lock()
				cut = append(cut, name)
				mu.Unlock()
				w.give(name)
			})
		}
		taking("little", "b", 1)
		time.Sleep(time.Second)
		for n, name := range []string{"m1", "m2", "m3"} {
			taking(name, "a", 2+n)
		}
		time.Sleep(time.Hour)
		w.wait("more", "a", 5, 2*mib, nil)
		synctest.Wait()
		mu.Lock()
		if slices.Sort(cut); !slices.Equal(cut, []string{"m1", "m2"}) {
			t.Errorf("%q were cut", cut)
		}
		mu.Unlock()
		if len(w.in.large.holding) != 2 {
			t.Errorf("%d can be cut", len(w.in.large.holding))
		}
		w.leave("m3")
		w.leave("little")
		if len(w.in.large.holding) != 0 {
			t.Errorf("%d can be cut that are over", len(w.in.large.holding))
		}
	})
}

// TestWhoRenewsIsCutBeforeWhoIsSlow: a client that takes answer after answer holds none for
// long, but holds most: when others wait, its own are cut, and not one that another client
// reads slowly. That one is cut if this has not helped in time.
func TestWhoRenewsIsCutBeforeWhoIsSlow(t *testing.T) {
	for went, reads := range map[string]func(time.Time) time.Time{
		"m1":   nil,
		"slow": func(time.Time) time.Time { return time.Now() },
	} {
		t.Run(went, func(t *testing.T) {
			inRoom(t, 4*mib, 4*mib, func(t *testing.T, w *waiters) {
				gone := make(chan string, 4)
				taking := func(name string, of claimant, held func(time.Time) time.Time) {
					go func() {
						_, _ = w.in.take(w.t.Context(), of, mib, &cut{do: func() { gone <- name }, held: held})
					}()
					synctest.Wait()
				}
				taking("slow", claimant{"b", 1}, nil)
				time.Sleep(time.Hour)
				for n, name := range []string{"m1", "m2", "m3"} {
					taking(name, claimant{"a", 2 + n}, reads)
				}
				ctx, giveUp := context.WithCancel(t.Context())
				defer giveUp()
				go func() { _, _ = w.in.take(ctx, claimant{"c", 9}, mib, nil) }()
				time.Sleep(overstay - time.Second)
				synctest.Wait()
				if len(gone) != 0 {
					t.Fatal("cut at once:", <-gone)
				}
				time.Sleep(2 * time.Second)
				synctest.Wait()
				if len(gone) != 1 {
					t.Fatal(len(gone), "were cut")
				}
				if name := <-gone; name != went {
					t.Error(name, "was cut")
				}
			})
		})
	}
}

// TestClientsLeaveSomeForOthers: a client holds at most three times what is free, and one that
// holds nothing may have one.
func TestClientsLeaveSomeForOthers(t *testing.T) {
	t.Parallel()
	h := newHall(64, 64)
	h.spare = true
	for n, most := range []int{48, 12, 3, 1} {
		client := string(rune('a' + n))
		held := 0
		for h.try(claimant{client, n}, 1, nil) != nil {
			held++
		}
		if held != most {
			t.Errorf("%s holds %d, not %d", client, held, most)
		}
	}
}

// TestWhoListensForLongMakesRoom: a stream that was resumed long ago ends for a new one, a
// client with none goes before one with some, and nobody waits long.
func TestWhoListensForLongMakesRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &callers{resumed: newHall(maxResumedOfAll, maxResumed)}
		ends := make([]func(), maxResumedOfAll)
		listen := func(client string, session int, cut func()) (done func(), waited time.Duration) {
			began := time.Now()
			done, ok := c.listen(t.Context(), &caller{}, callerKey{session: string(rune('a' + session))}, client, cut)
			if !ok {
				done = nil
			}
			return done, time.Since(began)
		}
		for n := range ends {
			ends[n], _ = listen("much", n/maxResumed, func() { ends[n]() })
			time.Sleep(100 * time.Millisecond)
		}
		if done, waited := listen("much", 0, func() {}); done != nil || waited > 0 {
			t.Error("a fifth of a session listens, or waits", waited)
		}
		if done, waited := listen("much", 2, func() {}); done != nil || waited != comeBack {
			t.Error("there was room, or nobody waited:", waited)
		}
		time.Sleep(overstay - comeBack - 2*time.Second)
		var mu sync.Mutex
		var before []string
		for _, client := range []string{"much", "little"} {
			go func() {
				if done, _ := listen(client, 2+len(client), func() {}); done != nil {
					mu.Lock()
					before = append(before, client)
					mu.Unlock()
					time.Sleep(time.Minute)
					done()
				}
			}()
			synctest.Wait()
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		if len(before) == 0 || before[0] != "little" {
			t.Errorf("%q had room", before)
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		for _, end := range ends {
			end()
		}
		if c.resumed.held != 0 {
			t.Error(c.resumed.held, "are left")
		}
	})
}

func cutBy(short func()) *cut {
	if short == nil {
		return nil
	}
	return &cut{do: short}
}
