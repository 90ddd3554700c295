package sandbox

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// outsider works in folders of the host that its process can no longer see. It is a
// thread with descriptors of its own, so that no other thread has those that lead to
// the host's files.
type outsider struct {
	work chan func()
	temp string
	near int // the folder that holds temp
	all  int // the one that holds that
	own  ownFolder
}

// newOutsider makes one while the folders are still visible.
func newOutsider(temp, own string) (*outsider, error) {
	o := &outsider{work: make(chan func()), temp: temp}
	made := make(chan error)
	onOwnThread(func() {
		err := o.open(own)
		made <- err
		if err != nil {
			return
		}
		for do := range o.work {
			do()
		}
	})
	return o, <-made
}

// open opens the folders, for the calling thread alone.
func (o *outsider) open(own string) (err error) {
	if err := unix.Unshare(unix.CLONE_FILES); err != nil {
		return fmt.Errorf("descriptors of a thread's own: %w", err)
	}
	near := filepath.Dir(o.temp)
	if o.near, err = unix.Open(near, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0); err != nil {
		return &os.PathError{Op: "open", Path: near, Err: err}
	}
	if o.all, err = unix.Open(filepath.Dir(near), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0); err != nil {
		return &os.PathError{Op: "open", Path: filepath.Dir(near), Err: err}
	}
	if own == "" {
		return nil
	}
	if o.own.in, err = unix.Open(filepath.Dir(own), unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0); err != nil {
		return &os.PathError{Op: "open", Path: filepath.Dir(own), Err: err}
	}
	return nil
}

// do runs f on the outsider's thread and waits for it.
func (o *outsider) do(f func()) {
	done := make(chan struct{})
	o.work <- func() {
		defer close(done)
		f()
	}
	<-done
}

// remove removes the folder for temporary files, which is empty, and the folder of all
// such folders if it was the last.
func (o *outsider) remove() {
	o.do(func() {
		_ = unix.Unlinkat(o.near, filepath.Base(o.temp), unix.AT_REMOVEDIR)
		_ = unix.Unlinkat(o.all, filepath.Base(filepath.Dir(o.temp)), unix.AT_REMOVEDIR)
	})
}

// hideOwn gives the policy's own folder another name on the host.
func (o *outsider) hideOwn() (err error) {
	if o == nil || o.own.inode == 0 {
		return nil
	}
	o.do(func() { err = o.own.hide() })
	return err
}
