package runtime

import (
	"errors"
	"os"
	"sync/atomic"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"github.com/scriptrun/scriptrun/runtime/internal/worker"
)

// mainCalled says that [WorkerMain] was called. It is this package's only global state:
// there is no other way to know that the program, started again, becomes a worker.
var mainCalled atomic.Bool

// WorkerMain makes workers possible: scripts run in a second copy of this program, in which
// WorkerMain does not return. Call it first in main, and in TestMain of tests that run
// scripts. It calls [sandbox.Main], since commands start from such a copy too.
func WorkerMain() {
	if worker.Is(os.Args) {
		os.Exit(worker.Serve())
	}
	sandbox.Main()
	mainCalled.Store(true)
}

// ErrNoWorkerMain is the error of [New] if [WorkerMain] was not called.
var ErrNoWorkerMain = errors.New("scripts run in a second copy of this program, which main must allow: " +
	"call runtime.WorkerMain() first thing in main, or set Options.InProcess for scripts that you trust")

// ConfinementError is the cause of a run that crashed before its script began: the system
// did not let the worker give up its rights, so the worker was not used.
type ConfinementError = worker.ConfinementError
