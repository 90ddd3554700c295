//go:build unix && !linux

package sandbox

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	goruntime "runtime"
	"sync"
	"syscall"

	"github.com/scriptrun/scriptrun/hostapi"
)

// Main does nothing: on this system no second copy of the program starts commands.
func Main() {}

// groups starts commands as leaders of process groups. Nothing else can be
// enforced here.
type groups struct{ keeper *groupKeeper }

func openHolder(policy Policy, _ string) (holder, []hostapi.Measure, error) {
	if policy.Network == NetworkProxied {
		return nil, nil, &NoNetworkError{Err: errors.New(goruntime.GOOS + " has none")}
	}
	measures := []hostapi.Measure{
		{Name: "sandbox", Gap: "on " + goruntime.GOOS + " commands can do what the host's user can", Fix: "run scriptrun on Linux, or in a container or virtual machine with Linux"},
		{Name: "processes", By: "process group", Gap: "a process that leaves its process group is not ended", Fix: "run scriptrun on Linux"},
	}
	if policy.off() {
		measures[0].Gap, measures[0].Fix = "commands can do what the host's user can", `the profile "off" was asked for; drop it`
	}
	keeper, err := newGroupKeeper()
	death := hostapi.Measure{Name: "host's death", By: "a keeper process"}
	if err != nil {
		death = hostapi.Measure{Name: "host's death", Gap: "if scriptrun is killed, processes that commands started stay (" + err.Error() + ")", Fix: "see that /bin/sh can be run"}
	}
	return &groups{keeper}, append(measures, death), nil
}

func (g *groups) start(cmd *exec.Cmd) (tree, error) {
	own := &exec.Cmd{Path: cmd.Path, Args: cmd.Args, Env: cmd.Env, Dir: cmd.Dir, Stdin: cmd.Stdin, Stdout: cmd.Stdout, Stderr: cmd.Stderr,
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true}}
	if err := own.Start(); err != nil {
		return nil, err
	}
	t := &group{cmd: own, keeper: g.keeper, exit: make(chan struct{})}
	g.keeper.tell(fmt.Sprintf("+%d", own.Process.Pid))
	go func() {
		_ = own.Wait() // ProcessState has the result
		close(t.exit)
	}()
	return t, nil
}

func (g *groups) starved() int { return 0 }

func (g *groups) alive() bool { return true }

func (g *groups) listener() net.Listener { return nil }

func (g *groups) names() net.PacketConn { return nil }

func (g *groups) current() bool { return true }

func (g *groups) close() { g.keeper.close() }

// group is the process group of a command. It does not find processes that left it.
type group struct {
	cmd    *exec.Cmd
	keeper *groupKeeper
	exit   chan struct{}
}

func (g *group) exited() <-chan struct{} { return g.exit }

// childless is never known here.
func (g *group) childless() bool { return false }

// signal returns 1 if the group is there.
func (g *group) signal(signal syscall.Signal) int {
	if syscall.Kill(-g.cmd.Process.Pid, signal) != nil {
		return 0
	}
	return 1
}

func (g *group) reap() (code int, signal string) {
	<-g.exit
	g.keeper.tell(fmt.Sprintf("-%d", g.cmd.Process.Pid))
	if status, ok := g.cmd.ProcessState.Sys().(syscall.WaitStatus); ok {
		return exitOf(status)
	}
	return -1, ""
}

// groupKeeper is a process that waits as long as the host lives, and then kills the
// groups that are left. It learns of the end by its stdin, of new groups by lines
// +LEADER, and of ended ones by -LEADER.
type groupKeeper struct {
	process *exec.Cmd
	life    *os.File
	once    sync.Once
}

const groupKeeperScript = `
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
`

func newGroupKeeper() (*groupKeeper, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer read.Close()
	k := &groupKeeper{life: write, process: &exec.Cmd{
		Path: "/bin/sh", Args: []string{"sh", "-c", groupKeeperScript, "scriptrun-keeper"}, Dir: "/", Env: []string{"PATH=/usr/bin:/bin"}, Stdin: read,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true}, // Ctrl-C goes to the whole foreground of the terminal
	}}
	if err := k.process.Start(); err != nil {
		_ = write.Close()
		return nil, err
	}
	return k, nil
}

func (k *groupKeeper) tell(line string) {
	if k != nil {
		_, _ = k.life.WriteString(line + "\n") // a keeper that is gone needs no line
	}
}

func (k *groupKeeper) close() {
	if k == nil {
		return
	}
	k.once.Do(func() {
		k.tell("done")
		_ = k.life.Close()
		_ = k.process.Wait()
	})
}
