//go:build !linux

package shell

import "os"

// openPipe opens a pipe.
func openPipe(to direction) (ours, theirs *os.File, err error) {
	read, write, err := os.Pipe()
	if to == toCommand {
		return write, read, err
	}
	return read, write, err
}
