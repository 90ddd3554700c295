//go:build amd64 || arm64

package runtime

import "github.com/scriptrun/scriptrun/runtime/internal/worker"

// NewWithWorkers is New with workers of other arguments, which check nothing.
func NewWithWorkers(options Options, args ...string) (*Runner, error) {
	r, err := NewWithCheckers(options, args...)
	if err == nil {
		r.cells = unchecked{&inProcessCells{}, r.cells}
	}
	return r, err
}

// NewWithCheckers is [NewWithWorkers] whose workers check sources too.
func NewWithCheckers(options Options, args ...string) (*Runner, error) {
	options.InProcess = true
	r, err := New(options)
	if err == nil {
		var pool *worker.Pool
		pool, err = worker.NewPool(worker.Options{Args: args})
		r.cells = workerCells{pool}
	}
	return r, err
}
