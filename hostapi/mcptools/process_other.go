//go:build !unix

package mcptools

import (
	"os/exec"
	"syscall"
)

func groupOfItsOwn() *syscall.SysProcAttr { return nil }

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
