package shell_test

import (
	"os"
	"sync"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// TestManyCommands: what a backend holds does not grow with the commands that
// it has run, and nothing of it is left after Close.
func TestManyCommands(t *testing.T) { //nolint:paralleltest // the whole process's files are counted
	count := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	var first shell.Local // what the process opens once and for all is open after it
	finished(t, &first, line(t, "true"))
	started(t, &first, "echo > ready")
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	before := count()
	var local shell.Local
	batch := func() int {
		var running sync.WaitGroup
		for range 8 {
			running.Go(func() {
				for range 4 {
					if _, status := finished(t, &local, line(t, "echo x > file; echo y > $TMPDIR/file; (exit 3)")); status.ExitCode != 3 {
						t.Errorf("status %+v", status)
					}
				}
			})
		}
		running.Wait()
		return count()
	}
	// What is kept for eight commands at once is kept from here on.
	var at []shell.TerminalID
	for range 8 {
		at = append(at, started(t, &local, "echo > ready; sleep 60"))
	}
	for _, id := range at {
		if err := local.Release(id); err != nil {
			t.Fatal(err)
		}
	}
	few := batch()
	for range 2 {
		// The last files of a command are closed a little after its end is known.
		if later := settled(batch, count, few+16); later > few+16 {
			t.Errorf("%d files are open, %d after many more commands", few, later)
		}
	}
	if err := local.Close(); err != nil {
		t.Error(err)
	}
	if after := settled(count, count, before); after > before { // other goroutines of the process open and close files too
		t.Errorf("%d files are open, %d were before", after, before)
	}
}

// settled is what count finds once that is at most the bound, or after a time that is long even
// for a busy machine. begin is the first count.
func settled(begin, count func() int, most int) int {
	n := begin()
	for deadline := time.Now().Add(time.Minute); n > most && time.Now().Before(deadline); n = count() {
		time.Sleep(time.Millisecond) // nothing tells
	}
	return n
}
