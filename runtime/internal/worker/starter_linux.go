//go:build amd64 || arm64

package worker

import (
	"os"
	"os/exec"
	goruntime "runtime"
)

// starter is a thread that only starts workers. They inherit its restrictions and its timer
// slack, and die when it ends.
type starter struct {
	orders chan order
	null   *os.File // their standard input and output, opened before the thread is restricted
	denied []string // what the thread may not do
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
		goruntime.LockOSThread() // for good: no other goroutine may run on a restricted thread
		var err error
		setTimerSlack(timerSlack)
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

// close ends the thread, and with it every remaining worker.
func (s *starter) close() {
	close(s.orders)
	_ = s.null.Close()
}
