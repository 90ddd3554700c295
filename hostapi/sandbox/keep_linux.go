package sandbox

import (
	"errors"
	"maps"
	"math"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// keeper is the holder's own side: it starts commands and ends them.
type keeper struct {
	host *channel
	box  *room

	mu    sync.Mutex
	trees map[int64]*procTree
	by    map[int]int64 // commands of leaders that are not reaped
}

// keep is the whole life of a holder.
func keep(conn *os.File) int {
	// Received and dropped: commands would inherit that a signal is ignored.
	signal.Notify(make(chan os.Signal, 1), unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM)
	// Some threads have the rights of commands, which could reach the holder's files
	// and memory through them. A process that is not dumpable shows nothing in /proc
	// and cannot be traced. The processes that it starts are dumpable again.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return 2 // its commands could look into it
	}
	k := &keeper{host: newChannel(conn), trees: map[int64]*procTree{}, by: map[int]int64{}}
	// Commands get no descriptors that the host inherited.
	_ = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) // it fails before Linux 5.11, where only the next line helps
	unix.CloseOnExec(k.host.fd)
	var first order
	strange, err := k.host.receive(&first)
	if err != nil || first.Setup == nil {
		return 2
	}
	var tell ready
	k.box, err = furnish(*first.Setup, strange)
	closeAll(strange)
	if err != nil {
		var less *lessError
		if errors.As(err, &less) {
			tell.Less = less.Error()
		} else {
			tell.Err = err.Error()
		}
	} else {
		tell.Measures = k.box.measures
	}
	var within []int
	if k.box != nil {
		within = k.box.within
	}
	if k.host.send(answer{Ready: &tell}, within...) != nil || err != nil {
		return 1
	}
	closeAll(within)
	warmThreads()
	go k.adopt()
	if k.box.covers != nil {
		go k.cover()
	}
	k.serve()
	k.endAll()
	return 0
}

// cover hides secrets that appear. If it fails, it ends all commands and tells the host
// why, which then needs another holder.
func (k *keeper) cover() {
	k.fail(k.box.covers.keep(k.box.hangs))
}

// fail ends all commands and tells the host why.
func (k *keeper) fail(why error) {
	// A host that does not listen is not waited for.
	late := time.AfterFunc(time.Second, func() { _ = unix.Shutdown(k.host.fd, unix.SHUT_RDWR) })
	defer late.Stop()
	_ = k.host.send(answer{Failed: why.Error()}) // a host that is gone ends serve
	k.host.shut()                                // which does so too
}

// serve carries out the host's orders until the host is gone.
func (k *keeper) serve() {
	for {
		var o order
		fds, err := k.host.receive(&o)
		if err != nil {
			return
		}
		switch {
		case o.Start != nil:
			k.start(o.ID, *o.Start, fds)
		case o.Signal != nil:
			go k.signal(o.ID, syscall.Signal(*o.Signal))
		case o.Reap:
			k.reap(o.ID)
		}
	}
}

// full is how long a start is tried again while there are too many processes: those
// that were just killed count until they are reaped.
const full = time.Second

func (k *keeper) start(id int64, o startOrder, fds []int) {
	t, ours, err := k.begin(id, o, fds)
	if errors.Is(err, unix.EAGAIN) {
		go func() { // meanwhile the host may end the processes that fill the box
			for late := time.Now().Add(full); errors.Is(err, unix.EAGAIN) && time.Now().Before(late); {
				_ = unix.Nanosleep(&unix.Timespec{Nsec: 2e6}, nil)
				t, ours, err = k.begin(id, o, fds)
			}
			k.began(id, t, fds, ours, err)
		}()
		return
	}
	k.began(id, t, fds, ours, err)
}

// began tells the host how a start went.
func (k *keeper) began(id int64, t *procTree, fds, ours []int, err error) {
	defer closeAll(ours)
	closeAll(fds)
	if err != nil {
		told := &started{Err: err.Error()}
		var errno syscall.Errno
		if errors.As(err, &errno) {
			told.Errno = int(errno)
		}
		_ = k.host.send(answer{ID: id, Started: told}) // a host that is gone ends serve
		return
	}
	_ = k.host.send(answer{ID: id, Started: &started{}}, ours...)
	go k.watch(id, t)
}

// watch waits until the first process has exited and, if others are left, until the
// host wants the command forgotten. Nothing else forgets commands.
func (k *keeper) watch(id int64, t *procTree) {
	awaitExit(t.leader)
	exit := answer{ID: id, Exited: true}
	if t.left = !t.childless(k.box.births) && t.signal(0) > 0; t.left {
		select {
		case <-t.wanted:
		default:
			_ = k.host.send(exit) // a host that is gone ends serve
			exit.Exited = false
			<-t.wanted
		}
	}
	status := k.forget(id, t)
	if err := k.box.outside.hideOwn(); err != nil {
		k.fail(err)
	}
	exit.Ended = &status
	_ = k.host.send(exit)
	k.release(t.place)
}

// begin starts the first process. It is known as a leader before adopt can take it for
// an orphan.
//
// ours is the host's side of its pseudo-terminal.
func (k *keeper) begin(id int64, o startOrder, fds []int) (_ *procTree, ours []int, _ error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	pid, place, ours, err := k.box.start(o, fds)
	if err != nil {
		return nil, nil, err
	}
	t := newTree(pid, k.box.mark)
	t.place = place
	k.trees[id], k.by[pid] = t, id
	return t, ours, nil
}

func (k *keeper) signal(id int64, signal syscall.Signal) {
	k.mu.Lock()
	t := k.trees[id]
	k.mu.Unlock()
	reached := 0
	if t != nil {
		reached = t.signal(signal)
	}
	_ = k.host.send(answer{ID: id, Reached: &reached})
}

// reap lets watch forget a command, as soon as it has exited.
func (k *keeper) reap(id int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if t := k.trees[id]; t != nil {
		t.want.Do(func() { close(t.wanted) })
	}
}

// forget reaps a leader. After the last command it kills all that is left in a box with
// process ids of its own.
func (k *keeper) forget(id int64, t *procTree) uint32 {
	status := t.reap()
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.trees, id)
	delete(k.by, t.leader)
	if len(k.trees) == 0 && k.box.spaces.PID && t.left {
		_ = unix.Kill(-1, unix.SIGKILL) // all but this process
	}
	return status
}

// release gives a place to the next command.
func (k *keeper) release(p *place) {
	p.clean()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.box.idle = append(k.box.idle, p)
}

// adoptTime is how long an orphan may stay a zombie.
const adoptTime = time.Millisecond

// adopt reaps the orphans of commands, which become children of the holder.
func (k *keeper) adopt() {
	children := make(chan os.Signal, 1)
	signal.Notify(children, unix.SIGCHLD)
	for range children {
		// Most are leaders, which watch is about to reap.
		time.Sleep(adoptTime)
		for {
			pid := anyZombie()
			if pid <= 0 {
				break
			}
			if !k.bury(pid) { // a leader that watch will reap; orphans may be behind it
				for _, p := range living.processes() {
					if p.state == 'Z' && p.parent == os.Getpid() {
						k.bury(p.pid)
					}
				}
				break
			}
		}
	}
}

// bury reaps a child that has ended, unless it is a leader.
func (k *keeper) bury(pid int) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, leader := k.by[pid]; leader {
		return false
	}
	var status unix.WaitStatus
	_, _ = unix.Wait4(pid, &status, unix.WNOHANG, nil)
	return true
}

// anyZombie is a child that has ended and is not reaped; 0 for none.
func anyZombie() int {
	var info [16]uint64 // siginfo_t has 128 bytes, with the process id at 12 or 16
	_, _, errno := unix.RawSyscall6(unix.SYS_WAITID, unix.P_ALL, 0, uintptr(unsafe.Pointer(&info)), unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, 0, 0)
	if errno != 0 {
		return 0
	}
	return int(int32(info[2]))
}

// endAll kills all processes of the box and removes its files.
func (k *keeper) endAll() {
	if !k.box.spaces.PID {
		k.mu.Lock()
		trees := slices.Collect(maps.Values(k.trees))
		k.mu.Unlock()
		for range 50 {
			left := 0
			for _, t := range trees {
				left += t.signal(unix.SIGKILL)
			}
			if left == 0 {
				break
			}
			_ = unix.Nanosleep(&unix.Timespec{Nsec: 2e6}, nil)
		}
	} else {
		_ = unix.Kill(-1, unix.SIGKILL)
	}
	_ = k.box.outside.hideOwn() // if it fails, opening the next box does it
	k.box.remove()
}
