//go:build !linux || (!amd64 && !arm64)

package worker

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// Supported says whether there are workers on this system: where a process can
// give up everything that a worker must.
const Supported = false

const program = ""

func newWords() (*words, error) { return &words{}, errors.ErrUnsupported }

func readNow(*os.File, []byte) int { return 0 }

func ownPeak() int64 { return 0 }

func processPeak(*os.ProcessState) int64 { return 0 }

func keepDescriptors() {}

func nameProcess() {}

func processAttributes() *syscall.SysProcAttr { return nil }

// Resident is not known on this system.
func (w *Process) Resident() int64 { return 0 }

// CPU is not known on this system.
func (w *Process) CPU() time.Duration { return 0 }

func calmTimers() {}

func exactTimers() {}

// StepBack does nothing on this system.
func (w *Process) StepBack() {}

// Limit does nothing on this system.
func (w *Process) Limit(int64) error { return nil }

func sizes(int) (*os.File, error) { return nil, errors.ErrUnsupported }

func fence() ([]string, error) { return nil, nil }
