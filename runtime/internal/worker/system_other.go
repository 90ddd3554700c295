//go:build !linux || (!amd64 && !arm64)

package worker

// Supported says whether there are workers on this system: a process must be able to give up
// all rights that a worker may not have.
const Supported = false

// Serve does nothing on this system.
func Serve() int { return exitBroken }
