//go:build !unix

package shell

import "syscall"

// supported says whether commands run on this system at all.
const supported = false

func processAttributes() *syscall.SysProcAttr { return nil }

func awaitExit(int) bool { return false }

func signalName(syscall.Signal) (string, bool) { return "", false }

func signalNumber(string) syscall.Signal { return 0 }
