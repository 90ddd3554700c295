package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
)

// put writes content as a new file, or as one in place of old.
func (d *osFolder) put(ctx context.Context, name, content string, old *info, how drafting) error {
	mode := fs.FileMode(newMode)
	if old != nil {
		mode = 0o600 // until it is as the old one
	}
	made, err := d.draft(mode, how)
	if err != nil {
		return err
	}
	defer made.drop()
	if _, err := made.f.WriteString(content); err != nil {
		return err
	}
	if old != nil {
		if err := keepOf(made, d, name, old); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil { // the last moment to change nothing
		return err
	}
	err = made.publish(d, name, old != nil)
	if errors.Is(err, fs.ErrNotExist) {
		return errSwept
	}
	return err
}

// draft makes a file to write to: without a name, where that is possible.
func (d *osFolder) draft(mode fs.FileMode, how drafting) (*draft, error) {
	if !how.named {
		if made, err := unnamed(d, mode); err == nil {
			return made, nil
		}
	}
	at := d.root()
	if how.beside {
		at = d
	}
	made, err := named(at, mode)
	if errors.Is(err, fs.ErrPermission) && !how.beside {
		made, err = named(d, mode)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = errSwept
	}
	return made, err
}

// keepOf gives a draft what the old file has beside its content.
func keepOf(d *draft, in *osFolder, name string, old *info) error {
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
