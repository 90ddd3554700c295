//go:build !linux

package shell

import (
	"os"
	"os/exec"
)

// mark does not exist on this system.
type mark struct{}

func newMark() mark { return mark{} }

func (m mark) of() mark { return m }

func (m mark) put(*os.Process) {}

func halting(*exec.Cmd) {}

func halt(*os.Process) {}

func letRun(*os.Process) {}

func (m mark) text() string { return "" }

func canHalt() error { return nil }
