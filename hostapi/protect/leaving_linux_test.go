package protect

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// TestCommandsThatLeaveTogetherShareOneSweep, which sees what each of them left. Who waited to
// enter meanwhile needs no further one, and who comes later does.
func TestCommandsThatLeaveTogetherShareOneSweep(t *testing.T) {
	t.Parallel()
	dir := newRepository(t, "")
	g := newGuard(t, dir, Paths{})
	where := Folders{Cwd: dir}
	stays := enter(t, g, where)
	visits := make([]*Visit, 20)
	for i := range visits {
		visits[i] = enter(t, g, where)
	}
	if err := os.WriteFile(filepath.Join(dir, ".envrc"), []byte("echo ran\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	g.turn <- struct{}{} // somebody has it, and they all wait
	before := g.sweeps.Load()
	var ends sync.WaitGroup
	came := make([][]Away, len(visits))
	for i, v := range visits {
		ends.Go(func() { came[i] = v.Leave() })
	}
	for len(g.waiting()) < len(visits) {
		time.Sleep(time.Millisecond) // nothing tells
	}
	<-g.turn
	ends.Wait()
	if n := g.sweeps.Load() - before; n != 1 {
		t.Errorf("%d sweeps", n)
	}
	told := 0
	for _, away := range came {
		told += len(away)
	}
	if _, err := os.Lstat(filepath.Join(dir, ".envrc")); told != 1 || err == nil || g.running != 1 {
		t.Errorf("told %d times, %v, %d are running", told, err, g.running)
	}

	for _, missed := range []int64{1, 0} {
		began := g.sweeps.Load()
		late, err := g.enter(t.Context(), where, began-missed)
		if err != nil {
			t.Fatal(err)
		}
		if n := g.sweeps.Load() - began; n != 1-missed {
			t.Errorf("%d sweeps for who waited during %d", n, missed)
		}
		late.Leave()
	}
	stays.Leave()
	if g.running != 0 {
		t.Errorf("%d are running", g.running)
	}
}

// waiting are the visits that wait to leave.
func (g *Guard) waiting() []*Visit {
	g.leaving.mu.Lock()
	defer g.leaving.mu.Unlock()
	return g.leaving.visits
}
