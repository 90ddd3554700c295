//go:build !linux || (!amd64 && !arm64)

package worker

// Supported says whether there are workers on this system: where a process can
// give up everything that a worker must.
const Supported = false

// Serve does nothing on this system.
func Serve() int { return exitBroken }
