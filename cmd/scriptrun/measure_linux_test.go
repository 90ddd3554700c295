package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// measuring is the name under which this program runs another one and reports its peak of
// memory. A process begins with the peak of its parent, and the tests themselves take much.
const measuring = "measure-memory"

// measure runs under that name.
func measure() {
	cmd := exec.Command(os.Args[1], os.Args[2:]...) //nolint:noctx // its own end is that of the caller
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	_ = cmd.Run() // the exit code tells
	if used, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		fmt.Fprint(os.NewFile(3, "peak"), used.Maxrss)
	}
	os.Exit(cmd.ProcessState.ExitCode())
}
