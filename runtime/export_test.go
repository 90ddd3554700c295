package runtime

import "github.com/scriptrun/scriptrun/runtime/internal/worker"

// NewWithWorkers is New with workers of other arguments.
func NewWithWorkers(options Options, args ...string) (*Runner, error) {
	options.InProcess = true
	r, err := New(options)
	if err == nil {
		r.workers, err = worker.NewPool(worker.Options{Args: args})
	}
	return r, err
}

// NewWithCheckers is [NewWithWorkers] whose workers check sources too.
func NewWithCheckers(options Options, args ...string) (*Runner, error) {
	r, err := NewWithWorkers(options, args...)
	if err == nil {
		r.checkers = r.workers
	}
	return r, err
}
