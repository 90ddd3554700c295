//go:build unix

package shell

import (
	"os"
	"os/exec"
	"syscall"
)

// keeper is a process that does nothing while the host lives. When the host
// has died, however it died, it ends what commands of the host are left and
// removes what they used. It learns of the end by its stdin.
//
// A death signal reaches only the first process of a command, and no process
// can leave its children to anybody but the system's first.
type keeper struct {
	process *exec.Cmd
	life    *os.File
}

// The arguments are the folder for temporary files, the control group, and the
// mark; the last two may be empty.
// Groups of processes come on stdin as +LEADER, and as -LEADER once they are
// gone.
const keeperScript = `
trap '' HUP INT QUIT TERM PIPE
groups=" "
while read -r line; do
	case $line in
	done) exit 0 ;;
	+*) groups="$groups${line#+} " ;;
	-*) groups="${groups%% ${line#-} *} ${groups#* ${line#-} }" ;;
	esac
done
for group in $groups; do kill -9 -- "-$group" 2>/dev/null; done
if [ -n "$2" ]; then
	echo 1 2>/dev/null >"$2/cgroup.kill"
fi
if [ -n "$3" ]; then
	found=yes
	while [ -n "$found" ]; do
		found=
		for limits in $(grep -ls "^Max realtime timeout .* $3 " /proc/[0-9]*/limits 2>/dev/null); do
			pid=${limits#/proc/}
			kill -9 "${pid%/limits}" 2>/dev/null && found=yes
		done
	done
fi
for try in 1 2 3 4 5 6 7 8 9 10; do
	[ -n "$2" ] && rmdir "$2"/* "$2" 2>/dev/null
	[ -n "$1" ] && rm -rf "$1" 2>/dev/null
	[ -e "$1" ] || [ -e "$2" ] || exit 0
	sleep 0.1
done
`

// newKeeper starts a keeper. Its error is why there can be none.
func newKeeper(temp, cgroup, mark string) (*keeper, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer read.Close()
	k := &keeper{life: write, process: &exec.Cmd{
		Path: "/bin/sh", Args: []string{"sh", "-c", keeperScript, "scriptrun-keeper", temp, cgroup, mark},
		Dir: "/", Env: []string{"PATH=/usr/bin:/bin:/usr/sbin:/sbin"}, Stdin: read,
		// Ctrl-C goes to the whole group of the terminal's foreground.
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}}
	if err := k.process.Start(); err != nil {
		_ = write.Close()
		return nil, err
	}
	return k, nil
}

// tell lets the keeper know of a group of processes, or of its end.
func (k *keeper) tell(line string) {
	if k != nil {
		_, _ = k.life.WriteString(line + "\n") // a keeper that is gone keeps nothing
	}
}

// close ends the keeper, without any of what it is there for.
func (k *keeper) close() {
	if k == nil {
		return
	}
	k.tell("done")
	_ = k.life.Close()
	_ = k.process.Wait()
}
