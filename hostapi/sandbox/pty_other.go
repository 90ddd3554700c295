//go:build !linux

package sandbox

import (
	"errors"
	"os"
)

// Resize changes the size of a terminal. There is none on this system.
func Resize(*os.File, Size) error { return errors.ErrUnsupported }
