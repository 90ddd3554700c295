package shell

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"github.com/scriptrun/scriptrun/hostapi"
	"golang.org/x/sys/unix"
)

// groups are control groups, as far as this system has them.
type groups = cgroups

// openGroups makes a control group for commands, or says why there is none.
func openGroups() (*groups, hostapi.Measure) {
	g, err := newCgroups()
	if err != nil {
		return nil, hostapi.Measure{
			Name: "processes", By: "a mark that they inherit, group, session and descent (no control group: " + err.Error() + ")",
		}
	}
	return g, hostapi.Measure{Name: "processes", By: "control group"}
}

func inode(info os.FileInfo) string {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return strconv.FormatUint(stat.Dev, 36) + " " + strconv.FormatUint(stat.Ino, 36)
}

// startIn has a command start within its control group.
func (c *cgroup) startIn(cmd *exec.Cmd) {
	cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, c.fd
}

// pristine reports whether another command may use the group: nobody is in it,
// and nobody made groups within it.
func (c *cgroup) pristine() bool {
	var stat unix.Stat_t
	return !c.spent && c.childless() && unix.Fstat(c.fd, &stat) == nil && stat.Nlink == 2
}
