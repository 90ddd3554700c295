package runtime

import (
	"context"
	"encoding/json"

	"github.com/scriptrun/scriptrun/runtime/internal/wire"
	"github.com/scriptrun/scriptrun/runtime/internal/worker"
)

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

// NewCheckedHere is New, and sources are checked in this process.
func NewCheckedHere(options Options) (*Runner, error) {
	r, err := New(options)
	if err == nil {
		r.cells = unchecked{&inProcessCells{}, r.cells}
	}
	return r, err
}

// unchecked are cells for sources that are checked in process.
type unchecked struct {
	cells // that check
	runs  cells
}

func (c unchecked) start(ctx context.Context, p *Program, start wire.Start, inputs json.RawMessage) (cell, error) {
	return c.runs.start(ctx, p, start, inputs)
}

func (c unchecked) close() { c.runs.close() }
