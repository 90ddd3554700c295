package runtime

import (
	"context"
	"encoding/json"

	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

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

// Giving is what a checker gets of a function that reads imports.
func Giving(read func(path string) ([]byte, error)) func(path string) (text, why string) {
	g := &given{read: read, texts: map[string]string{}}
	return func(path string) (text, why string) {
		answer := g.give(path)
		if answer.Missing {
			answer.Refused = "missing"
		}
		return answer.Text, answer.Refused
	}
}
