package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/scriptrun/scriptrun/runtime/internal/realm"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
	"github.com/scriptrun/scriptrun/runtime/internal/worker"
)

// ServeCell is what [Options.Cells] connects to: it runs the scripts that a host sends,
// until in ends, which is not an error. It gives up no rights and limits no memory: whoever
// starts the process must. A script that does not stop continues after ServeCell returns,
// until the process ends. Nothing else may write to out.
func ServeCell(in io.Reader, out io.Writer) error { return worker.ServeStream(in, out) }

// streamCells open a stream for each run and each check.
type streamCells struct {
	open   func(context.Context) (io.ReadWriteCloser, error)
	runs   *worker.Places
	checks *worker.Places
	leaves func(ended <-chan struct{})
}

func (c *streamCells) most() int { return c.runs.Most() }
func (c *streamCells) close()    {}

func (c *streamCells) check(ctx context.Context, source wire.Check, imports *given, within time.Duration) (realm.Checked, []realm.Flaw, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, within+mostTime, errLateCheck)
	defer cancel()
	in, err := c.connect(ctx, c.checks)
	if err != nil {
		return realm.Checked{}, nil, notChecked(err)
	}
	return checkIn(ctx, in, source, imports, within)
}

func (c *streamCells) start(ctx context.Context, _ *Program, start wire.Start, inputs json.RawMessage) (cell, error) {
	f, err := wire.New(wire.KindStart, start, inputs)
	if err != nil {
		return nil, err
	}
	in, err := c.connect(ctx, c.runs)
	if err != nil {
		return nil, err
	}
	in.Send(f)
	return in, nil
}

// connect waits for a place, a stream and a hello until ctx ends, whatever those take.
func (c *streamCells) connect(ctx context.Context, places *worker.Places) (*streamCell, error) {
	if err := places.Take(ctx); err != nil {
		return nil, err
	}
	made, ended, err := make(chan *worker.Stream), make(chan struct{}), error(nil)
	go func() {
		defer close(ended)
		var conn io.ReadWriteCloser
		if conn, err = c.opened(ctx); err != nil {
			return
		}
		var s *worker.Stream
		if s, err = worker.Connect(ctx, conn); err != nil {
			return
		}
		select {
		case made <- s:
		case <-ctx.Done():
			s.Kill()
			s.Wait()
		}
	}()
	select {
	case s := <-made:
		return &streamCell{Stream: s, of: c, places: places}, nil
	case <-ended:
		places.Leave()
		return nil, err
	case <-ctx.Done():
		places.Leave()
		c.leaves(ended)
		return nil, context.Cause(ctx)
	}
}

// opened opens a stream with the embedder's function, and turns a panic into an error.
func (c *streamCells) opened(ctx context.Context) (conn io.ReadWriteCloser, err error) {
	defer func() {
		if p := recover(); p != nil {
			conn, err = nil, fmt.Errorf("Options.Cells panicked; this is a bug of the host: %v", p)
		}
	}()
	if conn, err = c.open(ctx); err == nil && conn == nil {
		err = errors.New("Options.Cells gave neither a stream nor an error; this is a bug of the host")
	}
	return conn, err
}

// streamCell is a realm of which the host knows only what it sends.
type streamCell struct {
	*worker.Stream
	of     *streamCells
	places *worker.Places
}

func (c *streamCell) send(f wire.Frame)          { c.Send(f) }
func (c *streamCell) Watch(int64)                {}
func (c *streamCell) Over() bool                 { return false }
func (c *streamCell) memory(bool) (int64, bool)  { return 0, false }
func (c *streamCell) cpu() (time.Duration, bool) { return 0, false }
func (c *streamCell) kind() (string, []string)   { return cellElsewhere, nil }

func (c *streamCell) death(time.Time) worker.Death {
	return worker.Death{Text: "its stream ended: " + c.Fault().Error()}
}

func (c *streamCell) kill() bool {
	c.Kill()
	return true
}

func (c *streamCell) end(bool) {
	c.Kill()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.Wait()
		c.places.Leave()
	}()
	c.of.leaves(ended)
}
