//go:build !linux

package shell

import (
	goruntime "runtime"

	"github.com/scriptrun/scriptrun/hostapi"
)

// box enforces nothing on this system, and says so.
type box struct {
	starters starters
	measures []hostapi.Measure
}

func newBox(s Sandbox, _ string, _ grants, _ bool) (*box, error) {
	b := &box{measures: []hostapi.Measure{{
		Name: "sandbox", Gap: "on " + goruntime.GOOS + " commands can do what the host's user can",
		Fix: "run scriptrun on Linux, or in a container or virtual machine with Linux",
	}}}
	if s.Require {
		return nil, &SandboxError{Gaps: b.measures}
	}
	return b, nil
}

func (b *box) enter() error { return nil }

func (b *box) close() { b.endStarters() }

// onOwnThread runs f and returns at once. No box of this system needs a thread.
func onOwnThread(f func()) { go f() }
