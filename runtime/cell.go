package runtime

import (
	"context"
	"encoding/json"
	"time"

	"github.com/scriptrun/scriptrun/runtime/internal/realm"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
	"github.com/scriptrun/scriptrun/runtime/internal/worker"
)

// cells provides cells: in this process, in workers, or wherever an embedder has them.
type cells interface {
	// check checks whether a source is a program, within a time limit, with what it imports.
	check(ctx context.Context, c wire.Check, imports *given, within time.Duration) (realm.Checked, []realm.Flaw, error)
	// start waits for a cell until ctx ends, and starts a program in it.
	start(ctx context.Context, p *Program, start wire.Start, inputs json.RawMessage) (cell, error)
	// most is how many runs there can be at once; 0 means any number.
	most() int
	// close ends what is left after the last run.
	close()
}

// cell is where the realm of one run lives. Only frames go in and out, so that the rest of
// this package does not know where the realm is.
type cell interface {
	// send sends the realm a frame. It never blocks.
	send(f wire.Frame)
	// Room waits until the realm has read most of what it was sent, or done is closed.
	Room(done <-chan struct{})
	// Next returns the next frame of the realm, checked; the last one is a return or a throw.
	// It waits until a time, an interrupt, or the death of the cell. It stops before it reads
	// a large value from another process. Only one goroutine calls it.
	Next(until time.Time) (wire.Frame, worker.Arrival)
	// WideBytes is the size of the value that Next stopped at. Admit lets Next read it.
	WideBytes() int
	Admit()
	// Interrupt ends the current wait of Next, or else the next one.
	Interrupt()
	// Watch starts to watch the cell's memory. A cell over the limit, in bytes, is
	// interrupted, and killed if it can be.
	Watch(limit int64)
	// Over reports whether the cell exceeded the limit.
	Over() bool
	// memory ends the watch and returns the peak, and whether it exceeded the limit. dead
	// says that the cell was killed or died.
	memory(dead bool) (peak int64, over bool)
	// kill ends a realm that did not stop when asked. It reports whether it could; a realm
	// that cannot be killed is abandoned.
	kill() bool
	// end releases the cell and drops what it still emits. clean says that the realm ended
	// normally.
	end(clean bool)
	// cpu is how long the cell has computed for this run; false if the system does not know.
	cpu() (time.Duration, bool)
	// death says how a cell died whose frames have ended. It waits for the death until a time.
	death(until time.Time) worker.Death
	// kind is the cell's name on a report, and the rights that it gave up.
	kind() (name string, confinement []string)
}

// dying is how long to wait until a killed worker is gone.
const dying = 100 * time.Millisecond

// The names of cells.
const (
	cellInProcess = "in-process"
	cellWorker    = "worker"
	cellElsewhere = "elsewhere"
)
