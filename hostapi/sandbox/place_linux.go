package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/scriptrun/scriptrun/hostapi/sandbox/internal/removal"
	"golang.org/x/sys/unix"
)

// place is a thread that has given up its rights and starts commands, with folders for
// temporary files that no other place can see.
type place struct {
	work chan func()
	temp string // as its commands see it; empty for none
	own  []string
	// kept are the mount points in these folders: removing one would take the mount
	// away from its commands.
	kept map[string][]string
}

// newPlace makes one. A thread cannot get its rights back, and giving them up costs
// more than starting a command, so places are used again.
func (r *room) newPlace() (*place, error) {
	p := &place{work: make(chan func()), kept: map[string][]string{}}
	if r.policy.off() {
		onOwnThread(p.run)
		return p, nil
	}
	r.serial++
	name := strconv.Itoa(r.serial)
	for _, at := range r.owned {
		dir := filepath.Join(at, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			return nil, err
		}
		p.own = append(p.own, dir)
		for _, g := range r.granted {
			if filepath.Dir(g) == at {
				p.kept[dir] = append(p.kept[dir], filepath.Base(g))
			}
		}
	}
	p.temp = p.own[0]
	defer r.covers.lock()()
	entered := make(chan error)
	onOwnThread(func() {
		err := r.confine(p)
		entered <- err
		if err == nil {
			p.run()
		}
	})
	if err := <-entered; err != nil {
		return nil, err
	}
	return p, nil
}

// do runs f on the place's thread and waits for it.
func (p *place) do(f func()) {
	done := make(chan struct{})
	p.work <- func() {
		defer close(done)
		f()
	}
	<-done
}

func (p *place) run() {
	for do := range p.work {
		do()
	}
}

// maxTerminals limits the pseudo-terminals of a command, its own among them. The kernel
// has some thousands for the whole machine.
const maxTerminals = 64

// confine restricts the calling thread and all that it starts from then on. After an
// error it must start nothing.
func (r *room) confine(p *place) error {
	if r.spaces.View {
		if err := r.ownFolders(p.own); err != nil {
			return err
		}
		p.temp = r.temp
		// Its own folder of terminals. If the mount fails, it has none.
		_ = unix.Mount("devpts", "/dev/pts", "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, fmt.Sprintf("newinstance,ptmxmode=0666,mode=0620,max=%d", maxTerminals))
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("sandbox: no new privileges: %w", err)
	}
	if r.rules.abi > 0 {
		if err := r.rules.restrict(p.temp); err != nil {
			return fmt.Errorf("sandbox: Landlock: %w", err)
		}
	}
	if err := dropCapabilities(); err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	if r.filter != nil && !r.spaces.PID {
		if err := install(signalFilter(unix.Gettid())); err != nil {
			return fmt.Errorf("sandbox: seccomp: %w", err)
		}
	}
	if r.filter != nil {
		if err := install(r.filter); err != nil {
			return fmt.Errorf("sandbox: seccomp: %w", err)
		}
	}
	return nil
}

// clean empties a place after its command has ended. The holder calls it, which has the
// rights.
func (p *place) clean() {
	for _, dir := range p.own {
		removal.Empty(dir, p.kept[dir])
	}
}

// ownFolders gives the calling thread a view in which /tmp and /dev/shm show only its
// own folders, and the grants that lie there.
func (r *room) ownFolders(folders []string) error {
	if err := unix.Unshare(unix.CLONE_FS | unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("sandbox: unshare: %w", err)
	}
	if err := r.covers.take(); err != nil {
		return err
	}
	granted := make([]int, len(r.granted))
	for i, path := range r.granted {
		fd, err := unix.OpenTree(unix.AT_FDCWD, untilPlaced+path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
		if err != nil {
			return &os.PathError{Op: "open_tree", Path: path, Err: err}
		}
		granted[i] = fd
	}
	for _, dir := range folders {
		fd, err := unix.OpenTree(unix.AT_FDCWD, dir, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
		if err != nil {
			return &os.PathError{Op: "open_tree", Path: dir, Err: err}
		}
		err = unix.MoveMount(fd, "", unix.AT_FDCWD, filepath.Dir(dir), unix.MOVE_MOUNT_F_EMPTY_PATH)
		_ = unix.Close(fd)
		if err != nil {
			return &os.PathError{Op: "move_mount", Path: filepath.Dir(dir), Err: err}
		}
	}
	for i, path := range r.granted {
		info, err := os.Lstat(untilPlaced + path)
		if err != nil {
			_ = unix.Close(granted[i])
			return err
		}
		if err := (looseTree{fd: granted[i], path: path, file: !info.IsDir()}).hang(""); err != nil {
			return err
		}
	}
	return nil
}
