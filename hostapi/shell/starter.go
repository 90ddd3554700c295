package shell

import (
	"os"
	"os/exec"
	"sync"
)

// starters are threads inside a box that start commands. A thread cannot leave
// a box, and entering costs more than starting, so they are kept. They end
// with the box: a command's death signal comes when the thread that started it
// ends.
type starters struct {
	mu   sync.Mutex
	idle []chan<- order
}

// order asks a starter for one command.
type order struct {
	cmd    *exec.Cmd
	result chan<- error
	// marked is received before the command runs; nil to let it run at once.
	marked <-chan struct{}
}

// start starts a command on a thread inside the box. If before is not nil, it
// is called with the process before that runs.
func (b *box) start(cmd *exec.Cmd, before func(*os.Process)) error {
	b.starters.mu.Lock()
	var to chan<- order
	if n := len(b.starters.idle); n > 0 {
		to, b.starters.idle = b.starters.idle[n-1], b.starters.idle[:n-1]
	}
	b.starters.mu.Unlock()
	if to == nil {
		var err error
		if to, err = b.newStarter(); err != nil {
			return err
		}
	}
	result := make(chan error, 1)
	var err error
	if before == nil {
		to <- order{cmd: cmd, result: result}
		err = <-result
	} else {
		marked := make(chan struct{})
		halting(cmd)
		to <- order{cmd, result, marked}
		if err = <-result; err == nil {
			before(cmd.Process)
		}
		close(marked)
	}
	b.starters.mu.Lock()
	defer b.starters.mu.Unlock()
	b.starters.idle = append(b.starters.idle, to)
	return err
}

// newStarter is a thread that has entered the box.
func (b *box) newStarter() (chan<- order, error) {
	orders := make(chan order, 1)
	entered := make(chan error)
	onOwnThread(func() {
		err := b.enter()
		entered <- err
		if err != nil {
			return
		}
		for o := range orders {
			err := o.cmd.Start()
			if err == nil && o.marked != nil {
				halt(o.cmd.Process)
			}
			o.result <- err
			if err == nil && o.marked != nil {
				<-o.marked
				letRun(o.cmd.Process)
			}
		}
	})
	if err := <-entered; err != nil {
		return nil, err
	}
	return orders, nil
}

// endStarters ends the threads, which must all be idle.
func (b *box) endStarters() {
	b.starters.mu.Lock()
	defer b.starters.mu.Unlock()
	for _, orders := range b.starters.idle {
		close(orders)
	}
	b.starters.idle = nil
}
