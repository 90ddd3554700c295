package shell_test

import (
	"os"
	"runtime"
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
	before := count()
	var local shell.Local
	batch := func() int {
		var running sync.WaitGroup
		for range 8 {
			running.Go(func() {
				for range 25 {
					if _, status := finished(t, &local, line(t, "echo x > file; echo y > $TMPDIR/file; (exit 3)")); status.ExitCode != 3 {
						t.Errorf("status %+v", status)
					}
				}
			})
		}
		running.Wait()
		return count()
	}
	first := batch()
	if later := max(batch(), batch()); later > first+16 { // what is kept for up to eight at once may vary
		t.Errorf("%d files are open, %d after many more commands", first, later)
	}
	if err := local.Close(); err != nil {
		t.Error(err)
	}
	after := count()
	for deadline := time.Now().Add(5 * time.Second); after > before && time.Now().Before(deadline); after = count() {
		runtime.Gosched() // other goroutines of the process open and close files too
	}
	if after > before {
		t.Errorf("%d files are open, %d were before", after, before)
	}
}
