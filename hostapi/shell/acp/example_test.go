package acp_test

import (
	"fmt"
	"net"

	"github.com/scriptrun/scriptrun/hostapi/shell"
	"github.com/scriptrun/scriptrun/hostapi/shell/acp"
)

// Commands run in the terminals of an editor that is at the other end of a stream.
func ExampleOpen() {
	host, editor := net.Pipe()
	defer editor.Close()
	backend := acp.Open(host, "session-1")
	defer host.Close()
	tool := &shell.Tool{Dir: "/home/me/project", Backend: backend}
	if err := tool.Validate(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tool.Name())
	// Output: bash
}
