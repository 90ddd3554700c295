package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// pty makes a pseudo-terminal for a command of a place. With a view it lies in the
// place's own folder: no other command reaches it, and its command reaches no other, by
// name or number.
func (r *room) pty(p *place, size Size) (ours, theirs int, err error) {
	if !r.spaces.View {
		return openPty(size)
	}
	p.do(func() { ours, theirs, err = openPty(size) })
	return ours, theirs, err
}

// openPty makes a pseudo-terminal in the calling thread's view. The kernel returns the
// descriptor of its other side, without a name.
func openPty(size Size) (ours, theirs int, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("no pseudo-terminal is available: %w", err)
		}
	}()
	const device = "/dev/ptmx"
	// O_NONBLOCK is set for the host's side alone.
	if ours, err = unix.Open(device, unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0); err != nil {
		return -1, -1, &os.PathError{Op: "open", Path: device, Err: err}
	}
	err = unix.IoctlSetPointerInt(ours, unix.TIOCSPTLCK, 0)
	if err == nil {
		err = unix.IoctlSetWinsize(ours, unix.TIOCSWINSZ, &unix.Winsize{Col: size.Cols, Row: size.Rows})
	}
	if err == nil {
		theirs, err = peer(ours)
	}
	if err != nil {
		_ = unix.Close(ours)
		return -1, -1, err
	}
	return ours, theirs, nil
}

// peer is the other side of a pseudo-terminal.
func peer(of int) (int, error) {
	fd, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(of), unix.TIOCGPTPEER, unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC)
	if errno != 0 {
		return -1, errno
	}
	return int(fd), nil
}

// Resize sets the size of a terminal, by the file that [Box.StartPty] returned; its
// foreground processes get a SIGWINCH.
func Resize(pty *os.File, size Size) error {
	raw, err := pty.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		failed = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Col: size.Cols, Row: size.Rows})
	})
	if err != nil {
		return err
	}
	return failed
}

// leading are the attributes of a command that controls a terminal.
func leading() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
}

// startPty implements [ptys].
func (r *remote) startPty(cmd *exec.Cmd, size Size) (tree, *os.File, error) {
	own := *cmd
	own.Stdin, own.Stdout, own.Stderr = nil, nil, nil
	c, told, err := r.launch(&own, &size)
	if err != nil {
		return nil, nil, err
	}
	return c, told.pty, nil
}
