package shell

import (
	"context"
	"sync"
)

// maxTurns is how many large outputs are made into results at once, over all runs. A result
// takes several times the bytes of its output while it is made, and all of a processor.
const maxTurns = 2

// largeOutput is how many bytes of output wait for a turn.
const largeOutput = 256 << 10

// turns are those of one tool. The zero value is ready.
type turns struct {
	once   sync.Once
	places chan struct{}
}

// take waits for a turn, unless the output is small. The error is that of ctx.
func (t *turns) take(ctx context.Context, out Output) (leave func(), err error) {
	if len(out.Both.Head)+len(out.Both.Tail) <= largeOutput {
		return func() {}, nil
	}
	t.once.Do(func() { t.places = make(chan struct{}, maxTurns) })
	select {
	case t.places <- struct{}{}:
		return func() { <-t.places }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
