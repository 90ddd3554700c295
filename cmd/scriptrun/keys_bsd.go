//go:build unix && !linux

package main

import "os"

// flushInput does nothing where the system call for it is not known.
func flushInput(*os.File) {}
