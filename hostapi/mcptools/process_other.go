//go:build !unix

package mcptools

import (
	"os/exec"
	"syscall"
)

func groupOfItsOwn() *syscall.SysProcAttr { return nil }

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

// alive cannot tell here; a write does.
func (p *program) alive() bool { return true }
