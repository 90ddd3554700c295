package runtime

import (
	"errors"
	"os"
	"sync/atomic"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"github.com/scriptrun/scriptrun/runtime/internal/worker"
)

// mainCalled notes that [WorkerMain] was called. It is the one thing that this
// package remembers of the process: there is no other way to know whether
// starting the program again yields a worker, or the program again.
var mainCalled atomic.Bool

// WorkerMain makes workers possible: scripts run in a second copy of this
// program, and that copy stays in here. Call it first thing in main, and in
// TestMain of tests that run scripts. In every other copy it returns at once.
// It calls [sandbox.Main], since commands start from such a copy too.
func WorkerMain() {
	if worker.Is(os.Args) {
		os.Exit(worker.Serve())
	}
	sandbox.Main()
	mainCalled.Store(true)
}

// ErrNoWorkerMain is why [New] refuses a host that cannot start workers.
var ErrNoWorkerMain = errors.New("scripts run in a second copy of this program, which main must allow: " +
	"call runtime.WorkerMain() first thing in main, or set Options.InProcess for scripts that you trust")

// ConfinementError is why a run ended as crashed before its script began: the
// system did not let the worker give up what it must, so that it was not used.
type ConfinementError = worker.ConfinementError
