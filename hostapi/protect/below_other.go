//go:build !linux

package protect

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Commands are not confined on these systems.

func steady(root *os.Root, name string) (*os.File, error) {
	if root != nil {
		return root.Open(name)
	}
	return os.Open(name)
}

func chmod(f *os.File, mode fs.FileMode) error { return f.Chmod(mode) }

func renameTo(from *os.Root, name string, to *os.Root, newName string) error {
	return os.Rename(filepath.Join(from.Name(), name), filepath.Join(to.Name(), newName))
}
