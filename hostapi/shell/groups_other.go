//go:build !linux

package shell

import (
	"os"
	"os/exec"
	"syscall"

	"github.com/scriptrun/scriptrun/hostapi"
)

// groups and cgroup do not exist on this system.
type (
	groups struct{ dir string }
	cgroup struct{ leader int }
)

// keepDescriptors does nothing here.
func keepDescriptors() {}

func inode(os.FileInfo) string { return "" }

func openGroups() (*groups, hostapi.Measure) {
	return nil, hostapi.Measure{
		Name: "processes", By: "process group", Gap: "a process gets away that leaves its process group", Fix: "run scriptrun on Linux",
	}
}

func (g *groups) add(string) (*cgroup, error) { return nil, nil }

func (g *groups) close() error { return nil }

func (c *cgroup) startIn(*exec.Cmd) {}

func (c *cgroup) childless() bool { return true }

func (c *cgroup) signal(syscall.Signal) int { return 0 }

func (c *cgroup) oomKilled() bool { return false }

func (c *cgroup) pristine() bool { return true }

func (c *cgroup) close() {}
