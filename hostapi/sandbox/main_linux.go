package sandbox

import (
	"os"
	"sync/atomic"
)

// marker is the program name of a holder.
const marker = "scriptrun-sandbox"

// mainCalled notes that [Main] was called: otherwise a second copy of this program
// might not become a holder but run the program again.
var mainCalled atomic.Bool

// Main lets this program start commands: a second copy of the program starts them, and
// in that copy Main does not return. Call it first thing in main, and in TestMain of
// tests that run commands; runtime.WorkerMain calls it. In every other copy it returns
// at once.
func Main() {
	if len(os.Args) > 0 && os.Args[0] == marker {
		os.Exit(keep(os.NewFile(3, "host")))
	}
	mainCalled.Store(true)
}
