package sandbox

import (
	"errors"
	"net"
	"os/exec"
	"slices"
	"syscall"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/sandbox/internal/removal"
)

// Box enforces a policy on the commands in it. It is safe for concurrent use. The
// caller must call [Box.Close].
type Box struct {
	holder   holder
	measures []hostapi.Measure
	temp     string

	secretNames []string // where commands may write
}

// holder starts the commands of a box.
type holder interface {
	start(cmd *exec.Cmd) (tree, error)
	// starved counts the processes that the kernel killed for want of memory, if it
	// tells.
	starved() int
	alive() bool
	listener() net.Listener
	names() net.PacketConn
	// current reports whether all secrets are still hidden.
	current() bool
	close()
}

// tree is a command with everything that it started.
type tree interface {
	// exited is closed when the first process has exited.
	exited() <-chan struct{}
	// childless reports whether the first process left nothing behind when it exited.
	// It is called after the exit.
	childless() bool
	// signal sends a signal to every living process and returns how many it could
	// reach; signal 0 only counts.
	signal(signal syscall.Signal) int
	// reap forgets the tree and returns how the first process ended. It is called once,
	// after the exit.
	reap() (code int, signal string)
}

// ErrNoMain is the error of [Open] in a program that has not called [Main].
var ErrNoMain = errors.New("a second copy of this program starts commands, and main must let it: " +
	"call runtime.WorkerMain() or sandbox.Main() first thing in main")

// Open makes a box for a policy. Its errors include *[RequiredError], *[NoNetworkError],
// *[RootError] and [ErrNoMain].
func Open(policy Policy) (*Box, error) { return openWith(policy, openHolder) }

func openWith(policy Policy, hold func(Policy, string) (holder, []hostapi.Measure, error)) (*Box, error) {
	if err := policy.Check(); err != nil {
		return nil, err
	}
	if !policy.off() {
		var err error
		if policy.Read, err = policy.entries(); err != nil {
			return nil, err
		}
	}
	temp, err := MakeTemp()
	if err != nil {
		return nil, err
	}
	b := &Box{temp: temp, secretNames: policy.secretNames()}
	b.holder, b.measures, err = hold(policy, temp)
	if missing := gaps(b.measures); err == nil && policy.Require && len(missing) > 0 {
		err = &RequiredError{Gaps: missing}
	}
	if err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// Measures returns what this machine enforces of the policy, and the gaps.
func (b *Box) Measures() []hostapi.Measure { return slices.Clone(b.measures) }

// Start starts a command. It uses Path, Args, Env, Dir and the streams, which are
// *os.File or nil for the null device, and ignores other fields. The error is that of
// the system, a [syscall.Errno] if a system call failed. The caller must call
// [Process.End].
func (b *Box) Start(cmd *exec.Cmd) (*Process, error) {
	starved := b.holder.starved()
	t, err := b.holder.start(cmd)
	if err != nil {
		return nil, err
	}
	return &Process{tree: t, code: -1, holder: b.holder, starved: starved}, nil
}

// Listener is the host's listener in the network of a box with [NetworkProxied] or
// [Policy.Refuser], on every IPv4 address there; nil if the box has no such network.
// The box closes it.
func (b *Box) Listener() net.Listener { return b.holder.listener() }

// Names is the socket that gets the name queries of programs in such a box; nil if it
// could not be opened. The box closes it.
func (b *Box) Names() net.PacketConn { return b.holder.names() }

// Alive reports whether the box starts commands. It does not after Close, or if another
// program has ended its holder, and all commands with it.
func (b *Box) Alive() bool { return b.holder.alive() }

// Current reports whether the box still hides what it hid when it was opened. A program
// outside may replace a hidden file, or create one that should be hidden; a command
// that starts then would see it. Such a box still starts commands; open another one.
func (b *Box) Current() bool { return b.holder.current() }

// Close ends every command at once and removes their temporary files. It may be called
// more than once.
func (b *Box) Close() {
	if b.holder != nil {
		b.holder.close()
	}
	removal.Folder(b.temp)
	removeTemps(b.temp)
}

// Process is a command with everything that it started. Its methods are safe for
// concurrent use.
type Process struct {
	tree    tree
	ending  endings
	code    int
	signal  string
	holder  holder
	starved int // before it began
	starves bool
	oom     bool
	failure error
}

// Exited returns a channel that is closed when the first process has exited. Processes
// that it started may still run.
func (p *Process) Exited() <-chan struct{} { return p.tree.exited() }

// Signal sends a signal to every living process of the command and returns how
// many it reached; 0 only counts. After End it reaches none.
func (p *Process) Signal(signal syscall.Signal) int {
	return p.ending.unlessOver(func() int { return p.tree.signal(signal) })
}

// Stop ends all processes that are left: SIGTERM, grace, SIGKILL. It returns when none
// is left, at the latest some seconds after the SIGKILL. A grace of zero skips SIGTERM.
func (p *Process) Stop(grace time.Duration) { endTree(p.tree, grace) }

// End calls Stop and forgets the command; after that Status is known. It must be called
// once.
func (p *Process) End(grace time.Duration) {
	endTree(p.tree, grace)
	p.ending.over(func() {
		p.code, p.signal = p.tree.reap()
		p.starves = p.holder.starved() > p.starved
		p.oom = p.code != 0 && p.starves
		if box, ok := p.tree.(interface{ failure() error }); ok {
			p.failure = box.failure()
		}
	})
}

// Status returns, after End, the exit code of the first process, or -1 and the name of
// the signal that ended it.
func (p *Process) Status() (code int, signal string) {
	p.ending.mu.Lock()
	defer p.ending.mu.Unlock()
	return p.code, p.signal
}

// OOMKilled reports, after End, whether the command failed and the kernel killed
// processes of its box for want of memory while it ran. This is known only if the box
// has a control group; see [Limits]. It is true for every command that fails at that
// time.
func (p *Process) OOMKilled() bool {
	p.ending.mu.Lock()
	defer p.ending.mu.Unlock()
	return p.oom
}

// Starved is OOMKilled for commands that succeeded too: such a command may have gone on
// without the killed process, or another command may have started it.
func (p *Process) Starved() bool {
	p.ending.mu.Lock()
	defer p.ending.mu.Unlock()
	return p.starves
}

// Failure returns, after End, why the box ended the command and all others in it: it
// could no longer enforce its policy. It is nil for every other end.
func (p *Process) Failure() error {
	p.ending.mu.Lock()
	defer p.ending.mu.Unlock()
	return p.failure
}
