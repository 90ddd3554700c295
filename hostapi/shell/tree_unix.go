//go:build unix && !linux

package shell

import "syscall"

// groupTree is the process group of a command. A process that left the group
// is not found.
type groupTree struct {
	leader int
}

func newTree(leader int, _ mark) tree { return &groupTree{leader: leader} }

// childless is never certain here.
func (t *groupTree) childless() bool { return false }

// signal sends a signal to the group and returns 1 if it is there; signal 0
// only looks.
func (t *groupTree) signal(signal syscall.Signal) int {
	if syscall.Kill(-t.leader, signal) != nil {
		return 0
	}
	return 1
}
