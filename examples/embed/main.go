// Command embed loads a directory of tools and runs one of them.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/scriptrun/scriptrun/hostapi/files"
	"github.com/scriptrun/scriptrun/hostapi/shell"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
)

func main() {
	runtime.WorkerMain() // scripts run in a second copy of this program; that copy stays in here
	if err := hotFiles(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func hotFiles(ctx context.Context) error {
	workspace, err := files.Open(".")
	if err != nil {
		return err
	}
	defer workspace.Close()
	runner, err := runtime.New(runtime.Options{Tools: append(workspace.Tools(), &shell.Tool{Dir: "."}, &shell.Git{Shell: &shell.Tool{Dir: "."}})})
	if err != nil {
		return err
	}
	defer runner.Close()
	catalog, err := scripttools.LoadDir(ctx, runner, "tools")
	if err != nil {
		return err // every problem of every file, each with file:line:column
	}
	report := catalog.Run(ctx, "hot-files", scripttools.Inputs{"limit": 3})
	fmt.Println(report) // how it ended, the value, each call, what was used
	return report.Err() // nil only for ok
}
