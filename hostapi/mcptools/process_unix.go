//go:build unix

package mcptools

import (
	"os/exec"
	"syscall"
)

// groupOfItsOwn keeps the keyboard's signals from a server, and makes all that
// it starts one thing to end.
func groupOfItsOwn() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// alive reports whether the program is still there, as far as the system knows.
func (p *program) alive() bool { return p.cmd.Process.Signal(syscall.Signal(0)) == nil }
