//go:build unix

package audit

import "syscall"

// openFlags follow no symbolic link and do not wait, such as for the reader of a pipe.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK | syscall.O_CLOEXEC
