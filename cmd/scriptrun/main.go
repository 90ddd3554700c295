// Command scriptrun runs JavaScript files as tools.
//
//	scriptrun run todo-report path=src      a tool of ./tools, by name
//	scriptrun run scripts/x.js --json       any tool file, with its whole receipt
//	scriptrun eval 'return 1 + 1'           code without a file
//	scriptrun list, describe, check         what there is, and whether it is sound
//	scriptrun explain 'git log | head'      what a shell line would run, and by which rule
//	scriptrun doctor                        what this machine can enforce
//	scriptrun cache                         what its commands keep, and how to remove it
//
// The value goes to stdout and nothing else does; logs, progress and errors go
// to stderr. The exit code says how the run ended; see docs/outcomes.md.
package main

import (
	"os"

	"github.com/scriptrun/scriptrun/runtime"
)

func main() {
	runtime.WorkerMain() // scripts run in a second copy of this program
	os.Exit(run(system()))
}
