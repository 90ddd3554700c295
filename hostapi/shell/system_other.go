//go:build !unix

package shell

import (
	"os"
	"syscall"
)

// supported says whether commands run on this system at all.
const supported = false

func signalNumber(string) syscall.Signal { return 0 }

func owner(os.FileInfo) int64 { return -1 }

func mayWrite(string) bool { return true }

func identity(os.FileInfo) string { return "" }
