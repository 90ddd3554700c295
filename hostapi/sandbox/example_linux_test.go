package sandbox_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// A command that sees its folder, and is ended with all that it started.
func Example() {
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	box, err := sandbox.Open(sandbox.Policy{Workspace: dir}) // main has called sandbox.Main
	if err != nil {
		fmt.Println(err)
		return
	}
	defer box.Close()
	out, in, err := os.Pipe()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer out.Close()
	process, err := box.Start(&exec.Cmd{
		Path: "/bin/sh", Args: []string{"sh", "-c", "echo here > f; sleep 1000 & cat f; exit 3"}, Dir: dir, Env: []string{"PATH=/usr/bin:/bin"}, Stdout: in,
	})
	_ = in.Close()
	if err != nil {
		fmt.Println(err)
		return
	}
	<-process.Exited()
	process.End(time.Second)
	code, _ := process.Status()
	var said bytes.Buffer
	_, _ = said.ReadFrom(out)
	fmt.Printf("%d %q\n", code, said.String())
	// Output: 3 "here\n"
}
