// Command scriptrun runs JavaScript files as tools.
//
//	scriptrun run todo-report path=src      a tool of ./tools, by name
//	scriptrun run scripts/x.js --json       any tool file, with its whole receipt
//	scriptrun eval 'return 1 + 1'           code without a file
//	scriptrun list, describe, check         the tools, and whether they are sound
//	scriptrun new, test, types              a tool to begin with, its cases, its types
//	scriptrun explain 'git log | head'      what a shell line would run, and by which rule
//	scriptrun serve, connect                the tools for agents, and how they find them
//	scriptrun doctor                        what this machine can enforce
//	scriptrun cache                         the home folders of its commands
//
// Only the value goes to stdout; logs, progress and errors go
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
