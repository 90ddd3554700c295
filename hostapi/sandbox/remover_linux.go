package sandbox

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// remover removes an empty folder of the host's that its process cannot see any
// more. It is a thread with descriptors of its own, so that no other thread has
// the one that leads to the host's files.
type remover struct {
	wanted chan struct{}
	done   chan struct{}
}

// newRemover makes one while the folder can still be seen.
func newRemover(folder string) (*remover, error) {
	r := &remover{wanted: make(chan struct{}), done: make(chan struct{})}
	made := make(chan error)
	onOwnThread(func() {
		parent, err := openAlone(filepath.Dir(folder))
		made <- err
		if err != nil {
			return
		}
		<-r.wanted
		_ = unix.Unlinkat(parent, filepath.Base(folder), unix.AT_REMOVEDIR)
		close(r.done)
	})
	return r, <-made
}

// openAlone opens a folder for the calling thread alone.
func openAlone(dir string) (int, error) {
	if err := unix.Unshare(unix.CLONE_FILES); err != nil {
		return -1, fmt.Errorf("descriptors of a thread's own: %w", err)
	}
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, &os.PathError{Op: "open", Path: dir, Err: err}
	}
	return fd, nil
}

// remove removes the folder. It is called once.
func (r *remover) remove() {
	close(r.wanted)
	<-r.done
}
