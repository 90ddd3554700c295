//go:build !linux

package files

import (
	"errors"
	"io/fs"
	"os"
)

func unnamed(*osFolder, fs.FileMode) (*draft, error) { return nil, errors.ErrUnsupported }

func (d *draft) publish(in *osFolder, name string, replace bool) error {
	return d.stage.move(d.name, in, name, replace)
}

func lock(*os.File) error { return errNoLocks }
