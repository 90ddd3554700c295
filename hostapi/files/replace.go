package files

import (
	"context"
	"errors"
	"fmt"
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
	how := drafting{}
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
			err = w.put(ctx, in, name, content, old, how)
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

// put writes content as a new file, or as one in place of old.
func (w *Workspace) put(ctx context.Context, in *folder, name, content string, old *info, how drafting) error {
	mode := fs.FileMode(newMode)
	if old != nil {
		mode = 0o600 // until it is as the old one
	}
	d, err := w.draft(in, mode, how)
	if err != nil {
		return err
	}
	defer d.drop()
	if _, err := d.f.WriteString(content); err != nil {
		return err
	}
	if old != nil {
		if err := keepOf(d, in, name, old); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil { // the last moment to change nothing
		return err
	}
	err = d.publish(w.root, in, name, old != nil)
	if errors.Is(err, fs.ErrNotExist) {
		return errSwept
	}
	return err
}

// draft makes a file to write to: without a name, where that is possible.
func (w *Workspace) draft(in *folder, mode fs.FileMode, how drafting) (*draft, error) {
	if !w.named && !how.named {
		if d, err := unnamed(in, mode); err == nil {
			return d, nil
		}
	}
	at := w.root
	if how.beside {
		at = in
	}
	d, err := named(at, mode)
	if errors.Is(err, fs.ErrPermission) && !how.beside {
		d, err = named(in, mode)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = errSwept
	}
	return d, err
}

// keepOf gives a draft what the old file has beside its content.
func keepOf(d *draft, in *folder, name string, old *info) error {
	f, err := in.file(name)
	if err != nil {
		return err
	}
	defer f.Close()
	now, err := statOf(f)
	if err != nil {
		return err
	}
	if !now.same(old) {
		return fmt.Errorf("%w", errLink)
	}
	return keep(d.f, f, now)
}
