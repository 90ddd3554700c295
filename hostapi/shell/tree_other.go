//go:build !unix

package shell

import "syscall"

// tree is empty: nothing starts on this system.
type tree struct{}

func newTree(int, string) *tree { return &tree{} }

func (t *tree) childless() bool { return true }

func (t *tree) signal(syscall.Signal) int { return 0 }
