package worker

import (
	"os/exec"
	goruntime "runtime"
)

// starter is a thread that starts workers and does nothing else. Their death
// signal comes when it ends.
type starter struct{ orders chan order }

type order struct {
	cmd    *exec.Cmd
	result chan<- error
}

func newStarter() *starter {
	s := &starter{orders: make(chan order)}
	go func() {
		goruntime.LockOSThread()
		defer goruntime.UnlockOSThread()
		for o := range s.orders {
			o.result <- o.cmd.Start()
		}
	}()
	return s
}

func (s *starter) start(cmd *exec.Cmd) error {
	result := make(chan error, 1)
	s.orders <- order{cmd, result}
	return <-result
}

// close ends the thread, and with it every worker that is left.
func (s *starter) close() { close(s.orders) }
