//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package files

import (
	"os"

	"golang.org/x/sys/unix"
)

const searchOnly = unix.O_RDONLY

// beneath: there is no such call; who opens walks.
func (d *osFolder) beneath(string) (folder, bool, error) { return nil, false, nil }

func renameNew(from int, name string, to int, newName string) error {
	return renameChecked(from, name, to, newName)
}

func checkFileSystem(*os.File) error { return nil }

func checkDescriptor(int, string) error { return nil }
