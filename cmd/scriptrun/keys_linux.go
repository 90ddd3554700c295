package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// flushInput drops what was typed before.
func flushInput(terminal *os.File) {
	_ = unix.IoctlSetInt(int(terminal.Fd()), unix.TCFLSH, unix.TCIFLUSH)
}
