//go:build amd64 || arm64

package worker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

func newPool(t *testing.T, options Options) *Pool {
	t.Helper()
	p, err := NewPool(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// busyPool has as many workers lent for one program as make the next run wait
// for one of them.
func busyPool(t *testing.T, hopeTime time.Duration) (p *Pool, lent []*Process) {
	t.Helper()
	p = newPool(t, Options{})
	p.hopeTime = hopeTime
	for range 2 * goruntime.GOMAXPROCS(0) {
		w, err := p.Take(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		lent = append(lent, w)
	}
	return p, lent
}

type taken struct {
	w   *Process
	err error
}

// hoping takes a worker and returns when that waits for another run.
func hoping(ctx context.Context, p *Pool, key string) <-chan taken {
	got := make(chan taken, 1)
	go func() {
		w, err := p.Take(ctx, key)
		got <- taken{w, err}
	}()
	for {
		p.mu.Lock()
		n := len(p.hopes[key])
		p.mu.Unlock()
		if n > 0 {
			return got
		}
		time.Sleep(time.Millisecond) // nothing tells
	}
}

// TestHandedOn: a run gets the worker that another run of its program is done
// with, and no process is started for it.
func TestHandedOn(t *testing.T) {
	t.Parallel()
	p, lent := busyPool(t, time.Hour)
	got := hoping(t.Context(), p, "a")
	p.Return(lent[1], true)
	if took := <-got; took.err != nil || took.w != lent[1] || took.w.runs != 2 {
		t.Fatalf("%+v", took)
	}
	other, err := p.Take(t.Context(), "b") // another program does not wait for these
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range append(lent, other) {
		p.Return(w, true)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.lent) > 0 || len(p.hopes) > 0 {
		t.Errorf("lent %v, hopes %v", p.lent, p.hopes)
	}
}

// TestNotHandedOn: whoever would be handed a worker that is dead, or for too
// long none, gets a new one; whoever gives up gets none.
func TestNotHandedOn(t *testing.T) {
	t.Parallel()
	p, lent := busyPool(t, time.Hour)
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	givesUp := hoping(ctx, p, "a")
	cancel(gone)
	if took := <-givesUp; !errors.Is(took.err, gone) {
		t.Errorf("%+v", took)
	}
	got := hoping(t.Context(), p, "a")
	p.Return(lent[0], false) // for nobody
	lent[1].Kill()
	<-lent[1].died
	p.Return(lent[1], true)
	if took := <-got; took.err != nil || took.w.runs != 1 {
		t.Errorf("%+v", took)
	}

	hasty, lent := busyPool(t, time.Nanosecond)
	if w, err := hasty.Take(t.Context(), "a"); err != nil || w.runs != 1 || slices.Contains(lent, w) {
		t.Errorf("%v %v", w, err)
	}
}

// TestRetired: a worker is not used for ever.
func TestRetired(t *testing.T) {
	t.Parallel()
	p := newPool(t, Options{})
	for range 2 {
		w, err := p.Take(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		w.runs = maxRuns - 1
		p.Return(w, true)
		last, err := p.Take(t.Context(), "a")
		if err != nil || last != w {
			t.Fatalf("%v; another one: %v", err, last != w)
		}
		p.Return(last, true)
		<-last.Died()
	}
}

// TestAWorkerWithAHeavyProgramIsKept, though it has a low priority: a fresh one would have to
// compile the program again, and step back for that.
func TestAWorkerWithAHeavyProgramIsKept(t *testing.T) {
	t.Parallel()
	for size, kept := range map[int]bool{heavy: false, heavy + 1: true} {
		p := newPool(t, Options{})
		w, err := p.Take(t.Context(), "a")
		if err != nil || w.Knows("a", size) {
			t.Fatal(err)
		}
		if w.stepBack(); !w.slow.Load() {
			t.Fatal("it does not step back")
		}
		p.Return(w, true)
		again, err := p.Take(t.Context(), "a")
		if err != nil || (again == w) != kept || again.Knows("a", size) != kept {
			t.Errorf("a program of %d bytes: kept %v, %v", size, again == w, err)
		}
		p.Return(again, true)
	}
}

// TestPlaceOfTheDying: a worker that was killed has its place until it is gone.
func TestPlaceOfTheDying(t *testing.T) {
	t.Parallel()
	p := newPool(t, Options{Most: 1})
	for range 20 {
		w, err := p.Take(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		p.Return(w, false)
		next, err := p.Take(t.Context(), "a")
		if err != nil || next == w || !w.gone() {
			t.Fatalf("%v: the next began when the one before was gone: %v", err, w.gone())
		}
		next.Kill()
		<-next.Died()
		p.Return(next, true) // it is found to be dead by the next round
	}
}

// TestTimerSlack: the thread that watches over a worker does not wake up all the
// time, and the one that waits for what scripts wait for does so exactly.
func TestTimerSlack(t *testing.T) {
	t.Parallel()
	p := newPool(t, Options{})
	w, err := p.Take(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Return(w, true)
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", w.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	calm := 0
	for _, thread := range threads {
		text, err := os.ReadFile("/proc/" + filepath.Base(thread) + "/timerslack_ns")
		if errors.Is(err, fs.ErrPermission) {
			return // whoever may not set it for others may not look either
		}
		if err != nil {
			t.Fatal(err)
		}
		slack, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		if first := filepath.Base(thread) == strconv.Itoa(w.cmd.Process.Pid); first && slack >= int(time.Millisecond) {
			t.Errorf("the first thread sleeps too long by %d ns", slack)
		}
		if slack == int(timerSlack) {
			calm++
		}
	}
	if calm == 0 {
		t.Errorf("none of %d threads is calm", len(threads))
	}
}
