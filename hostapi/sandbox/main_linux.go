package sandbox

import (
	"os"
	"sync/atomic"
)

// marker is the name that a holder goes by.
const marker = "scriptrun-sandbox"

// mainCalled notes that [Main] was called: there is no other way to know
// whether starting this program again yields a holder, or the program again.
var mainCalled atomic.Bool

// Main makes commands possible: they are started by a second copy of this
// program, and that copy stays in here. Call it first thing in main, and in
// TestMain of tests that run commands; runtime.WorkerMain calls it. In every
// other copy it returns at once.
func Main() {
	if len(os.Args) > 0 && os.Args[0] == marker {
		os.Exit(keep(os.NewFile(3, "host")))
	}
	mainCalled.Store(true)
}
