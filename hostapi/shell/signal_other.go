//go:build !unix

package shell

import "syscall"

// supported says whether commands run on this system at all.
const supported = false

func signalNumber(string) syscall.Signal { return 0 }
