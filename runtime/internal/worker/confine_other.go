//go:build !linux || (!amd64 && !arm64)

package worker

import "errors"

// Confine has nothing to give up with on this system, so that there are no
// workers.
func Confine() ([]string, error) { return nil, errors.ErrUnsupported }
