//go:build amd64 || arm64

package worker

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

func takeChecker(t *testing.T, p *Pool, key string) *Process {
	t.Helper()
	w, err := p.TakeChecker(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// checks has a worker check a source, and gives the worker back.
func checks(t *testing.T, p *Pool, key, source string) *Process {
	t.Helper()
	w := takeChecker(t, p, key)
	f, err := wire.New(wire.KindCheck, wire.Check{Name: key, Digest: key, Source: source, Body: true, MaxMemoryBytes: 64 << 20}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.Send(f)
	answer, what := w.Next(time.Now().Add(time.Minute))
	var checked wire.Checked
	if what != Arrived || answer.Decode(&checked) != nil || checked.Entry != "run" {
		t.Fatalf("%v %s", what, answer.Head)
	}
	p.ReturnChecker(w, true)
	return w
}

// TestWhoCheckedRuns: the worker that checked one program runs it, and has
// compiled it; the one that checked two runs neither.
func TestWhoCheckedRuns(t *testing.T) {
	t.Parallel()
	p := newPool(t, Options{})
	checker := checks(t, p, "a", "return 1")
	runs, err := p.Take(t.Context(), "a")
	if err != nil || runs != checker || !runs.Knows("a", 0) {
		t.Fatalf("another worker runs it: %v", err)
	}
	start, err := wire.New(wire.KindStart, wire.Start{Name: "a", Digest: "a", Entry: "run", MaxOutputBytes: 99}, []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	runs.Send(start)
	if f, what := runs.Next(time.Now().Add(time.Minute)); what != Arrived || f.Kind != wire.KindReturn || string(f.Body) != "1" {
		t.Fatalf("%v %s %s", what, f.Head, f.Body)
	}
	p.Return(runs, true)
	if w := takeChecker(t, p, "b"); w == checker {
		t.Error("a worker that runs programs checks")
	} else {
		p.ReturnChecker(w, false)
	}

	both := checks(t, p, "b", "return 1")
	if checks(t, p, "c", "return 1") != both {
		t.Error("another process was started for the next source")
	}
	for _, key := range []string{"b", "c"} {
		w, err := p.Take(t.Context(), key)
		if err != nil || w == both || w.Knows(key, 0) {
			t.Errorf("%s runs where another was checked: %v", key, err)
		}
		p.Return(w, false)
	}
}

// TestCheckersHaveTheirPlaces: they neither wait for runs nor keep them waiting,
// and are not more than there are places for.
func TestCheckersHaveTheirPlaces(t *testing.T) {
	t.Parallel()
	p := newPool(t, Options{Most: 1})
	run, err := p.Take(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	var lent []*Process
	for range p.checks.places.Most() {
		lent = append(lent, takeChecker(t, p, "a"))
	}
	late, stop := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer stop()
	if _, err := p.TakeChecker(late, "a"); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	for _, w := range lent {
		p.ReturnChecker(w, true)
	}
	p.Return(run, false)
	p.mu.Lock()
	for _, w := range p.checks.idle {
		w.since = time.Now().Add(-idle)
	}
	p.mu.Unlock()
	p.sweep()
	for _, w := range lent {
		<-w.Died() // nobody needs them any more
	}
}

// TestWhoCheckedForLongRunsThat, and checks nothing else; there is one such worker at most.
func TestWhoCheckedForLongRunsThat(t *testing.T) {
	t.Parallel()
	p := newPool(t, Options{})
	slow := func(key string) *Process {
		w := takeChecker(t, p, key)
		if w.stepBack(); !w.slow.Load() {
			t.Fatal("it does not step back")
		}
		p.ReturnChecker(w, true)
		return w
	}
	first, second := slow("a"), slow("b")
	<-first.Died()
	if w := takeChecker(t, p, "c"); w == second {
		t.Error("it checks another source")
	} else {
		p.ReturnChecker(w, false)
	}
	runs, err := p.Take(t.Context(), "b")
	if err != nil || runs != second || !runs.Knows("b", heavy+1) {
		t.Errorf("another worker runs what was checked: %v", err)
	}
	p.Return(runs, true)
	last := slow("d")
	p.mu.Lock()
	last.since = time.Now().Add(-idle)
	p.mu.Unlock()
	p.sweep()
	<-last.Died() // nobody needs it any more
}
