//go:build !unix

package sandbox

import (
	"errors"
	"fmt"
	goruntime "runtime"

	"github.com/scriptrun/scriptrun/hostapi"
)

// Main does nothing on this system.
func Main() {}

func openHolder(Policy, string) (holder, []hostapi.Measure, error) {
	return nil, nil, fmt.Errorf("commands cannot be run on %s: %w", goruntime.GOOS, errors.ErrUnsupported)
}
