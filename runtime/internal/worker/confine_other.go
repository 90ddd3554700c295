//go:build !linux || (!amd64 && !arm64)

package worker

// Confine has nothing to give up with on this system.
func Confine() ([]string, error) { return nil, nil }
