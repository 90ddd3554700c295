package files

import (
	"context"
	"errors"
	"io/fs"
	"syscall"
)

// newMode is that of new files, less what the umask takes.
const newMode = 0o644

// maxAttempts is how often a write begins anew because others write at the same
// moment: they make the same file, or remove the staging folder.
const maxAttempts = 100

// replace puts content in place of a file, or makes one, so that nobody ever sees
// half of it. before is what must be there, if it matters: the content was made of it, or
// a person has seen it.
// A file that is replaced gets a new inode: other names of the old one (hard
// links) keep the old content, also those outside the workspace.
func (w *Workspace) replace(ctx context.Context, at place, content string, before *present) (created bool, err error) {
	in, name, err := w.parentMade(at.rel)
	if err != nil {
		return false, plain(at.given, err)
	}
	defer in.close()
	how := drafting{named: w.named}
	for attempt := range maxAttempts {
		how.named = how.named || attempt == maxAttempts/2
		old, err := in.lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist) && before.is(nil, nil):
			old, err = nil, nil
		case err != nil && before != nil:
			return false, &changedError{at.given}
		case err == nil:
			err = checkReplaced(at, old, before)
		}
		if err == nil {
			err = in.put(ctx, name, content, old, how)
		}
		switch {
		case err == nil:
			return old == nil, nil
		case old == nil && errors.Is(err, fs.ErrExist): // somebody has made it just now
		case errors.Is(err, errSwept):
		case errors.Is(err, syscall.EXDEV) && !how.beside: // a mount between the workspace's root and the file
			how.beside = true
		default:
			return false, plain(at.given, err)
		}
	}
	return false, &changedError{at.given}
}

// checkReplaced refuses to put a file in place of something else.
func checkReplaced(at place, old *info, before *present) error {
	if old.IsDir() {
		return &aboutError{path: at.given, err: errDirectory}
	}
	if err := checkRegular(at.given, old); err != nil {
		return err
	}
	if !before.is(old, nil) {
		return &changedError{at.given}
	}
	return nil
}

// errSwept is a staging folder that another process removed while it was empty.
var errSwept = errors.New("the folder for temporary files was removed")

// drafting says how a draft is made: with a name at once, and beside the file
// rather than at the top of the workspace.
type drafting struct{ named, beside bool }
