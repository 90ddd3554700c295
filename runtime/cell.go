package runtime

import (
	"context"
	"encoding/json"
	"time"

	"github.com/scriptrun/scriptrun/runtime/internal/realm"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
	"github.com/scriptrun/scriptrun/runtime/internal/worker"
)

// cells is whoever provides cells: this process, workers, or an embedder.
type cells interface {
	// check finds out whether a source is a program, within a time at most.
	check(ctx context.Context, c wire.Check, within time.Duration) (realm.Checked, []realm.Flaw, error)
	// start gives a program to a cell, for which it waits until ctx ends.
	start(ctx context.Context, p *Program, start wire.Start, inputs json.RawMessage) (cell, error)
	// most is how many runs there are at once; 0 where there is no bound.
	most() int
	// close ends what is left when there are no runs any more.
	close()
}

// cell is where a realm lives while one run lasts. Only frames go in and out,
// so that nothing above this line knows how far away the realm is.
type cell interface {
	// send gives the realm a frame. It never blocks.
	send(f wire.Frame)
	// Next waits for what the realm emits, checked, the last one a return or a
	// throw: until a time, or an interrupt, or the cell has died. It stops before a large
	// value, where that is still elsewhere. It is called by one goroutine.
	Next(until time.Time) (wire.Frame, worker.Arrival)
	// WideBytes is how many bytes the value has before which Next stopped, and Admit
	// lets it go on.
	WideBytes() int
	Admit()
	// Interrupt ends the wait of Next, or else its next one.
	Interrupt()
	// Watch begins to look at the cell's memory. A cell that holds more than the
	// limit, in bytes, is killed if it can be, and interrupts.
	Watch(limit int64)
	// Over reports whether it did.
	Over() bool
	// memory ends the watch and returns the most that was seen, and whether that
	// was over the limit. dead says that the cell was killed, or has died.
	memory(dead bool) (peak int64, over bool)
	// kill ends a realm that was asked to stop and did not. It reports whether
	// it could; a realm that cannot be killed is abandoned.
	kill() bool
	// end gives the cell up: what it emits from now on is dropped. clean says
	// that the realm ended as it should.
	end(clean bool)
	// cpu is how long the cell has computed for this run, and whether that is
	// known better than from outside.
	cpu() (time.Duration, bool)
	// death says how a cell died whose frames were closed. It waits for it until
	// a time, at most.
	death(until time.Time) worker.Death
	// kind is what a report calls the cell, and what it gave up.
	kind() (name string, confinement []string)
}

// dying is how long is waited for a worker that was killed to be gone.
const dying = 100 * time.Millisecond

// The names of cells.
const (
	cellInProcess = "in-process"
	cellWorker    = "worker"
	cellElsewhere = "elsewhere"
)
