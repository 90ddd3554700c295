// Command mcp-server offers a directory of tools to one MCP client on stdin and
// stdout, from a program of your own.
package main

import (
	"context"
	"log"
	"os"

	"github.com/scriptrun/scriptrun/hostapi/files"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
	"github.com/scriptrun/scriptrun/scripttools/serve"
)

func main() {
	runtime.WorkerMain() // scripts run in a second copy of this program
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	workspace, err := files.Open(".")
	if err != nil {
		return err
	}
	defer workspace.Close()
	runner, err := runtime.New(runtime.Options{Tools: workspace.Tools()})
	if err != nil {
		return err
	}
	defer runner.Close()
	catalog, err := scripttools.LoadDir(ctx, runner, "tools")
	if err != nil {
		return err
	}
	server, err := serve.New(serve.Options{Runner: runner, Catalog: catalog, Name: "my-tools"})
	if err != nil {
		return err
	}
	return server.Stdio(ctx, os.Stdin, os.Stdout)
}
