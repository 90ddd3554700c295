//go:build unix

package audit

import "syscall"

// openFlags: no link is followed, and nothing is waited for, such as somebody who reads.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK | syscall.O_CLOEXEC
