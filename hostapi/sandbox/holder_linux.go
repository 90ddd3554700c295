package sandbox

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"golang.org/x/sys/unix"
)

// program is the file of this program, even if another one has its name now.
const program = "/proc/self/exe"

// readyTime is how long a holder may take to become ready.
const readyTime = 20 * time.Second

// spaces are the namespaces that a holder starts in.
type spaces struct {
	User bool `json:"user"` // it gives an ordinary user the others
	View bool `json:"view"` // files, and System V objects
	Net  bool `json:"net"`
	PID  bool `json:"pid"`
}

// attempts are the namespaces to try, the best first.
func attempts(policy Policy) []spaces {
	if policy.off() {
		return []spaces{{}}
	}
	all := spaces{User: os.Geteuid() != 0, View: true, Net: policy.Network != NetworkFull, PID: true}
	if policy.Network == NetworkProxied {
		return []spaces{all, all.without(false, true)} // nothing less can enforce it
	}
	some := []spaces{all, all.without(false, true)}
	if all.Net { // less is lost without a network of its own than without a view
		some = append(some, all.without(true, false), all.without(true, true))
	}
	return append(some, spaces{})
}

// without is s without a network, or without process ids, of its own.
func (s spaces) without(net, pid bool) spaces {
	s.Net, s.PID = s.Net && !net, s.PID && !pid
	return s
}

// attributes make a process start in the namespaces, as the same user.
func (s spaces) attributes() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setsid: true} // Ctrl-C goes to the terminal's whole foreground
	if s.View {
		attr.Cloneflags |= unix.CLONE_NEWNS | unix.CLONE_NEWIPC
	}
	if s.Net {
		attr.Cloneflags |= unix.CLONE_NEWNET
	}
	if s.PID {
		attr.Cloneflags |= unix.CLONE_NEWPID
	}
	if s.User && s.View {
		uid, gid := os.Geteuid(), os.Getegid()
		attr.Cloneflags |= unix.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
		// For a user other than root, only ambient capabilities survive an exec.
		attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_KILL, unix.CAP_SYS_CHROOT,
			unix.CAP_NET_BIND_SERVICE, unix.CAP_SYS_RESOURCE}
	}
	return attr
}

// remote is the host's side of a holder.
type remote struct {
	cmd     *exec.Cmd
	channel *channel
	gone    chan struct{} // closed when the holder answers no more
	listens bool          // listen runs
	closing sync.Once
	said    said
	group   *controlGroup  // nil for none
	within  net.Listener   // of the host, in the box's network; nil for none
	asked   net.PacketConn // for name queries in that network; nil for none
	hidden  *lookout

	mu      sync.Mutex
	last    int64
	pending map[int64]*command
	failed  error // why the holder ended by itself, if it told
}

// openHolder starts a holder with as many namespaces as the system allows.
func openHolder(policy Policy, temp string) (holder, []hostapi.Measure, error) {
	return openHolderIn(policy, temp, attempts(policy))
}

func openHolderIn(policy Policy, temp string, attempts []spaces) (holder, []hostapi.Measure, error) {
	if !mainCalled.Load() {
		return nil, nil, ErrNoMain
	}
	var device, inode uint64
	if policy.Workspace != "" && !policy.off() {
		var stat unix.Stat_t
		if err := unix.Stat(policy.Workspace, &stat); err != nil {
			return nil, nil, &os.PathError{Op: "stat", Path: policy.Workspace, Err: err}
		}
		device, inode = stat.Dev, stat.Ino
		if is := policy.WorkspaceIs; is != (FolderID{}) && is != (FolderID{device, inode}) {
			return nil, nil, &LedElsewhereError{Workspace: policy.Workspace}
		}
	}
	var hidden *lookout
	less := ""
	for _, spaces := range attempts {
		if !spaces.View && less != "" && givesViews(attempts) { // it is not the machine that lacks them
			hidden.close()
			return nil, nil, fmt.Errorf("sandbox: there is no view of files for this command: %s", less)
		}
		r, err := bear(spaces.attributes())
		if passing(err) {
			hidden.close()
			return nil, nil, fmt.Errorf("sandbox: no process to start commands: %w", err)
		}
		if err != nil {
			less = err.Error()
			continue
		}
		if hidden == nil {
			hidden = newLookout(policy) // while the holder starts, and before it hides anything
		}
		s := newSetup(policy, temp)
		if !policy.off() {
			r.join(policy.Limits.OrDefault(), os.Geteuid() == 0 && !(spaces.PID && pidsHaveSizes()))
			s.MemoryGroup, s.ProcessGroup = r.group.bounds()
		}
		s.Spaces, s.Device, s.Inode = spaces, device, inode
		ready, err := r.prepare(s)
		switch {
		case err != nil:
			r.close()
			hidden.close()
			return nil, nil, fmt.Errorf("sandbox: %w", err)
		case ready.Less != "":
			r.close()
			less = ready.Less
			continue
		}
		if !spaces.PID && !policy.off() {
			ready.Measures = append(ready.Measures, withoutSpaces(spaces, less)...)
		}
		r.listens, r.hidden = true, hidden
		go r.listen()
		return r, ready.Measures, nil
	}
	hidden.close()
	if policy.Network == NetworkProxied {
		return nil, nil, &NoNetworkError{Err: errors.New(less)}
	}
	return nil, nil, fmt.Errorf("sandbox: no process to start commands: %s", less)
}

// withoutSpaces are the measures of namespaces that are missing.
func withoutSpaces(s spaces, why string) (measures []hostapi.Measure) {
	fix := "run scriptrun as root, or allow user namespaces (sysctl kernel.apparmor_restrict_unprivileged_userns=0, user.max_user_namespaces)"
	if !s.View {
		measures = append(measures, hostapi.Measure{
			Name: "modes", Gap: "a command can change modes, owners and times of files of the host's user, wherever they are (" + why + ")", Fix: fix,
		})
	}
	return append(measures, hostapi.Measure{
		Name: "processes seen", Gap: "a command sees the command lines of other processes (" + why + ")", Fix: fix,
	})
}

// bear starts the process of a holder.
func bear(attributes *syscall.SysProcAttr) (*remote, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	theirs := os.NewFile(uintptr(fds[1]), "holder's end")
	r := &remote{
		cmd: &exec.Cmd{
			Path: program, Args: []string{marker}, Env: append([]string{"GODEBUG=containermaxprocs=0,updatemaxprocs=0", "GOGC=50"}, detector...), Dir: "/",
			ExtraFiles: []*os.File{theirs}, SysProcAttr: attributes,
		},
		channel: newChannel(os.NewFile(uintptr(fds[0]), "holder")), gone: make(chan struct{}), pending: map[int64]*command{},
	}
	r.cmd.Stderr = &r.said
	r.cmd.WaitDelay = time.Second // others have its stderr for a moment only
	err = r.cmd.Start()
	_ = theirs.Close()
	if err != nil {
		r.channel.release()
		return nil, err
	}
	return r, nil
}

// join puts the holder into control groups of its own before it starts anything. They
// bound the number of processes only if nothing else does: a holder that cannot start a
// thread ends, with its commands.
func (r *remote) join(l Limits, processes bool) {
	g := openControlGroup(l, processes)
	if err := g.admit(r.cmd.Process.Pid); err != nil {
		g.close()
		return
	}
	r.group = g
}

// prepare makes the holder set itself up.
func (r *remote) prepare(s setup) (*ready, error) {
	late := time.AfterFunc(readyTime, func() { _ = r.cmd.Process.Kill() })
	defer late.Stop()
	var strange []int
	if s.Spaces.View && !s.Spaces.User && strangers() >= 0 {
		strange = []int{strangers()}
	}
	if err := r.channel.send(order{Setup: &s}, strange...); err != nil {
		return nil, err
	}
	var got answer
	fds, err := r.channel.receive(&got)
	if len(fds) > 0 {
		r.within, r.asked, err = takeWithin(fds, err)
	}
	switch {
	case err != nil:
		_ = r.cmd.Process.Kill()
		_ = r.cmd.Wait() // ProcessState has the result
		return nil, fmt.Errorf("the process that starts commands did not become ready: %w: %s: %s", err, r.cmd.ProcessState, r.said.text())
	case got.Ready == nil:
		return nil, errors.New("the process that starts commands did not say that it is ready")
	case got.Ready.Err != "":
		return nil, errors.New(got.Ready.Err)
	}
	return got.Ready, nil
}

// listen handles the holder's answers until it is gone.
func (r *remote) listen() {
	for {
		var got answer
		fds, err := r.channel.receive(&got)
		for _, fd := range fds { // only the answer to a start brings one
			if file := os.NewFile(uintptr(fd), "pty"); got.Started != nil && got.Started.pty == nil {
				got.Started.pty = file
			} else {
				_ = file.Close()
			}
		}
		if err != nil {
			break
		}
		if r.hear(got) {
			goruntime.Gosched()
		}
	}
	r.mu.Lock()
	left, failed := r.pending, r.failed
	r.pending = nil
	r.mu.Unlock()
	r.channel.release()
	close(r.gone)
	for _, c := range left {
		c.lost(failed)
	}
}

// start implements [holder].
func (r *remote) start(cmd *exec.Cmd) (tree, error) {
	c, _, err := r.launch(cmd, nil)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// launch starts a command, on a pseudo-terminal of the size pty unless that is nil.
func (r *remote) launch(cmd *exec.Cmd, pty *Size) (*command, *started, error) {
	for _, texts := range [][]string{{cmd.Path, cmd.Dir}, cmd.Args, cmd.Env} {
		if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, nul) }) {
			return nil, nil, syscall.EINVAL // NUL separates the texts of a frame
		}
	}
	asked := &startOrder{Path: cmd.Path, Args: cmd.Args, Env: cmd.Env, Dir: cmd.Dir, Pty: pty}
	var fds []int
	for i, stream := range []any{cmd.Stdin, cmd.Stdout, cmd.Stderr} {
		switch stream := stream.(type) {
		case nil:
		case *os.File:
			asked.Streams[i] = true
			fds = append(fds, int(stream.Fd()))
		default:
			return nil, nil, fmt.Errorf("stream %d is a %T; expected an *os.File", i, stream)
		}
	}
	c := newCommand(r)
	r.mu.Lock()
	if r.pending == nil {
		r.mu.Unlock()
		return nil, nil, io.ErrClosedPipe
	}
	r.last++
	c.id = r.last
	r.pending[c.id] = c
	r.mu.Unlock()
	err := r.channel.send(order{ID: c.id, Start: asked}, fds...)
	var told *started
	if err == nil {
		select {
		case told = <-c.starting:
			switch {
			case told.Errno != 0:
				err = syscall.Errno(told.Errno)
			case told.Err != "":
				err = errors.New(told.Err)
			}
		case <-r.gone:
			err = fmt.Errorf("the process that starts commands ended: %w: %s", io.ErrUnexpectedEOF, r.lastWords())
		}
	}
	if err != nil {
		r.mu.Lock()
		delete(r.pending, c.id)
		r.mu.Unlock()
		return nil, nil, err
	}
	return c, told, nil
}

// starved implements [holder].
func (r *remote) starved() int { return r.group.ended() }

// alive implements [holder].
func (r *remote) alive() bool {
	select {
	case <-r.gone:
		return false
	default:
		return true
	}
}

// listener implements [holder].
func (r *remote) listener() net.Listener { return r.within }

// names implements [holder].
func (r *remote) names() net.PacketConn { return r.asked }

// current implements [holder].
func (r *remote) current() bool { return r.hidden.holds() }

// close implements [holder]: the holder ends when its channel closes.
func (r *remote) close() {
	r.closing.Do(func() {
		if r.within != nil {
			_ = r.within.Close()
		}
		if r.asked != nil {
			_ = r.asked.Close()
		}
		late := time.AfterFunc(5*time.Second, func() { _ = r.cmd.Process.Kill() })
		defer late.Stop()
		if r.listens {
			r.channel.shut()
		} else {
			r.channel.release()
		}
		_ = r.cmd.Wait() // how it ended does not matter
		if r.listens {
			<-r.gone
		}
		r.group.close()
		r.hidden.close()
	})
}
