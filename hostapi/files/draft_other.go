//go:build !linux

package files

import (
	"errors"
	"io/fs"
	"os"
)

func unnamed(*folder, fs.FileMode) (*draft, error) { return nil, errors.ErrUnsupported }

func (d *draft) publish(_, in *folder, name string, replace bool) error {
	return d.stage.rename(d.name, in, name, replace)
}

func lock(*os.File) error { return errNoLocks }
