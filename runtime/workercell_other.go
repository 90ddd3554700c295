//go:build !linux || (!amd64 && !arm64)

package runtime

import "errors"

func newWorkers(Options) (cells, error) { return nil, errors.ErrUnsupported }
