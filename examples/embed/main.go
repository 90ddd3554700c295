// Command embed loads the tools of a directory and runs one of them.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/shell"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
)

func main() {
	if err := hotFiles(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func hotFiles(ctx context.Context) error {
	runner, err := runtime.New(runtime.Options{Tools: []hostapi.Tool{&shell.Tool{Dir: "."}}})
	if err != nil {
		return err
	}
	defer runner.Close()
	tool, err := scripttools.LoadFile(runner, "tools/hot-files.js", ".")
	if err != nil {
		return err // every problem of the file, each with file:line:column
	}
	report := scripttools.RunSpec(ctx, runner, tool, []byte(`{"limit": 3}`), scripttools.RunOptions{})
	fmt.Println(report) // how it ended, the value, each call, what was used
	return report.Err() // nil only for ok
}
