//go:build !unix

package shell

import "syscall"

// noTree is empty: nothing starts on this system.
type noTree struct{}

func newTree(int, mark) tree { return noTree{} }

func (noTree) childless() bool { return true }

func (noTree) signal(syscall.Signal) int { return 0 }
