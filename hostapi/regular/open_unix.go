//go:build unix

package regular

import "syscall"

// withoutWaiting keeps an open from waiting for the other end of a pipe, and
// from taking a terminal.
const withoutWaiting = syscall.O_NONBLOCK | syscall.O_NOCTTY
