package sandbox

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
)

// Box is a policy made ready, and the commands in it. It is safe for
// concurrent use. The caller must call [Box.Close].
type Box struct {
	holder   holder
	measures []hostapi.Measure
	temp     string

	secretNames []string // where commands may write
}

// holder starts the commands of a box.
type holder interface {
	start(cmd *exec.Cmd) (tree, error)
	// starved counts the processes that the kernel ended for want of memory, as
	// far as it tells.
	starved() int
	alive() bool
	listener() net.Listener
	names() net.PacketConn
	// current reports whether what is hidden still is.
	current() bool
	close()
}

// tree is a command with everything that it started.
type tree interface {
	// exited is closed when the first process has exited.
	exited() <-chan struct{}
	// childless reports whether nothing was left when the first process exited.
	// It is asked after that.
	childless() bool
	// signal sends a signal to every living member and returns how many there
	// were that it could reach; signal 0 only counts.
	signal(signal syscall.Signal) int
	// reap forgets the tree and tells how the first process ended. It is called
	// once, after the exit.
	reap() (code int, signal string)
}

// ErrNoMain is why [Open] refuses a program that has not called [Main].
var ErrNoMain = errors.New("commands are started by a second copy of this program, which main must allow: " +
	"call runtime.WorkerMain() or sandbox.Main() first thing in main")

// Open makes a policy ready. The error is a *[RequiredError], [ErrNoMain], a bad policy,
// or that of the system.
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
	temp, err := os.MkdirTemp("", "scriptrun-")
	if err != nil {
		return nil, fmt.Errorf("a folder for temporary files: %w", err)
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

// Measures are what this machine enforces of the policy, and what it does not.
func (b *Box) Measures() []hostapi.Measure { return slices.Clone(b.measures) }

// Start starts a command: Path, Args, Env, Dir, and as streams *os.File or
// nil, which is the null device. Other fields are not looked at. The error is
// that of the system, a [syscall.Errno] where a system call failed. The caller
// must call [Process.End].
func (b *Box) Start(cmd *exec.Cmd) (*Process, error) {
	starved := b.holder.starved()
	t, err := b.holder.start(cmd)
	if err != nil {
		return nil, err
	}
	return &Process{tree: t, code: -1, holder: b.holder, starved: starved}, nil
}

// Listener is what the host has in the network of a box with [NetworkProxied] or
// [Policy.Refuser], on every address of its loopback interface; nil for any other,
// and where there is no such network. The box closes it.
func (b *Box) Listener() net.Listener { return b.holder.listener() }

// Names is the socket to which programs in such a box send their questions about names;
// nil where it could not be had. The box closes it.
func (b *Box) Names() net.PacketConn { return b.holder.names() }

// Alive reports whether the box starts commands. One that was closed does not,
// nor one whose holder was ended by somebody else, with all of its commands.
func (b *Box) Alive() bool { return b.holder.alive() }

// Current reports whether what the box keeps from commands is still what it was
// when the box was opened. Somebody outside may replace a file that is hidden,
// or make one that is to be: a command that starts then would see it. Such a box
// still starts commands; open another one.
func (b *Box) Current() bool { return b.holder.current() }

// Close ends every command at once and removes what they shared. It may be
// called more than once.
func (b *Box) Close() {
	if b.holder != nil {
		b.holder.close()
	}
	removeFolder(b.temp)
}

// Process is a command from its start to its end, with everything that it
// started. Its methods are safe for concurrent use.
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

// Exited is closed when the first process has exited. What it started may
// still run.
func (p *Process) Exited() <-chan struct{} { return p.tree.exited() }

// Signal sends a signal to every living process of the command and returns how
// many it reached; 0 only counts. After End it reaches none.
func (p *Process) Signal(signal syscall.Signal) int {
	return p.ending.unlessOver(func() int { return p.tree.signal(signal) })
}

// Stop ends everything that is left: SIGTERM, grace, SIGKILL. It returns when
// nothing is left, at the latest some seconds after the SIGKILL. A grace of
// zero skips SIGTERM.
func (p *Process) Stop(grace time.Duration) { endTree(p.tree, grace) }

// End is Stop, and forgets the command: Status is known then. It is called
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

// Status is how the first process ended, after End: its exit code, or -1 and
// the name of the signal that ended it.
func (p *Process) Status() (code int, signal string) {
	p.ending.mu.Lock()
	defer p.ending.mu.Unlock()
	return p.code, p.signal
}

// OOMKilled reports, after End, whether the command failed and the kernel ended
// processes of its box for want of memory meanwhile. It is known only where the
// box has a control group: see [Limits]. Of several commands that fail at that
// moment, each is told so.
func (p *Process) OOMKilled() bool {
	p.ending.mu.Lock()
	defer p.ending.mu.Unlock()
	return p.oom
}

// Starved is OOMKilled, also of a command that succeeded: it may have gone on without a
// process that the kernel ended, or another command of the box had started that.
func (p *Process) Starved() bool {
	p.ending.mu.Lock()
	defer p.ending.mu.Unlock()
	return p.starves
}

// Failure is, after End, why the box itself ended the command, with all others that ran
// in it, because it could not keep what its policy says; nil for every other end.
func (p *Process) Failure() error {
	p.ending.mu.Lock()
	defer p.ending.mu.Unlock()
	return p.failure
}
