//go:build !linux || (!amd64 && !arm64)

package worker

import (
	"errors"
	"os"
	"time"
)

// hostEnd is the host's end of the socket of a worker; there is none on this
// system.
type hostEnd struct{}

func socketPair() (ours *hostEnd, theirs *os.File, err error) {
	return nil, nil, errors.ErrUnsupported
}

func (*hostEnd) Read([]byte) (int, error)  { return 0, errors.ErrUnsupported }
func (*hostEnd) Write([]byte) (int, error) { return 0, errors.ErrUnsupported }
func (*hostEnd) writeNow([]byte) int       { return 0 }
func (*hostEnd) within(time.Time)          {}
func (*hostEnd) interrupt()                {}
func (*hostEnd) silent() bool              { return false }

// Close does nothing on this system.
func (*hostEnd) Close() error { return nil }

func openSocket(int) (connection, error) { return nil, errors.ErrUnsupported }
