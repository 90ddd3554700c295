package runtime_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/scriptrun/scriptrun/runtime"
)

// cellMain is the other process: a script is all that it runs. TestMain calls it first.
func cellMain() {
	if len(os.Args) == 2 && os.Args[1] == "cell" {
		if err := runtime.ServeCell(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(0)
	}
}

// pipe is a process, spoken to through its standard input and output.
type pipe struct {
	io.Reader
	io.WriteCloser
	cmd *exec.Cmd
}

// Close ends the process, and with it whatever reads and writes.
func (p pipe) Close() error {
	_ = p.cmd.Process.Kill() // it may have ended
	return p.cmd.Wait()
}

// A script runs in a process that the host starts itself: over ssh, in a container, or as
// here in a copy of the program.
func Example_cells() {
	runner, err := runtime.New(runtime.Options{Cells: func(ctx context.Context) (io.ReadWriteCloser, error) {
		cmd := exec.CommandContext(ctx, os.Args[0], "cell")
		in, err := cmd.StdinPipe()
		if err != nil {
			return nil, err
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			return nil, err
		}
		return pipe{out, in, cmd}, cmd.Start()
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer runner.Close()
	report := runner.Run(context.Background(), runtime.Request{Source: &runtime.Source{Name: "sum.js", Body: []byte(`export default () => 6 * 7`)}})
	fmt.Println(report.Outcome, report.Text, report.Isolation.Cell)
	// Output: ok 42 elsewhere
}
