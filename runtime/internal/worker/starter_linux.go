//go:build amd64 || arm64

package worker

import (
	"os"
	"os/exec"
	goruntime "runtime"
)

// starter is a thread that starts workers and does nothing else. Their death
// signal comes when it ends, what it may not do they may not do, and their timers
// are as exact as its own.
type starter struct {
	orders chan order
	null   *os.File // their standard descriptors: the thread can open nothing
	denied []string // what it may not do
}

type order struct {
	cmd    *exec.Cmd
	result chan<- error
}

func newStarter() (*starter, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	s := &starter{orders: make(chan order), null: null}
	ready := make(chan error)
	go func() {
		goruntime.LockOSThread() // for good: a thread with fewer rights is of no use to others
		var err error
		calmTimers()
		s.denied, err = fence()
		ready <- err
		for o := range s.orders {
			o.cmd.Stdin, o.cmd.Stdout = null, null
			o.result <- o.cmd.Start()
		}
	}()
	if err := <-ready; err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *starter) start(cmd *exec.Cmd) error {
	result := make(chan error, 1)
	s.orders <- order{cmd, result}
	return <-result
}

// close ends the thread, and with it every worker that is left.
func (s *starter) close() {
	close(s.orders)
	_ = s.null.Close()
}
