package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// stream is one end of a connection of any kind. A goroutine reads one piece ahead, so that a
// wait for data can end in other ways.
type stream struct {
	io.Writer
	pieces chan []byte // closed at the end
	err    error       // the error at the end
	rest   []byte      // of the current piece
	bell   chan struct{}
	until  time.Time
}

const pieceBytes = 32 << 10

func newStream(out io.Writer) *stream {
	return &stream{Writer: out, pieces: make(chan []byte), bell: make(chan struct{}, 1)}
}

// pump reads until the end, or until unwanted is closed.
func (s *stream) pump(in io.Reader, unwanted <-chan struct{}) {
	defer close(s.pieces)
	for {
		piece := make([]byte, pieceBytes)
		n, err := in.Read(piece)
		select {
		case s.pieces <- piece[:n]:
		case <-unwanted:
			return
		}
		if err != nil {
			s.err = err
			return
		}
	}
}

// wait waits for something to read.
func (s *stream) wait(late <-chan time.Time) error {
	for len(s.rest) == 0 {
		select {
		case piece, more := <-s.pieces:
			if !more {
				return cmp.Or(s.err, io.EOF)
			}
			s.rest = piece
		case <-s.bell:
			return errInterrupted
		case <-late:
			return errLate
		}
	}
	return nil
}

func (s *stream) waitFor(d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	return s.wait(timer.C)
}

// ready implements connection.
func (s *stream) ready(d time.Duration) bool {
	if d < 0 {
		_ = s.wait(nil) // Read returns the error
		return true
	}
	return !errors.Is(s.waitFor(d), errLate)
}

// Read waits until s.until, unless that is the zero time.
func (s *stream) Read(p []byte) (n int, err error) {
	if s.until.IsZero() {
		err = s.wait(nil)
	} else {
		err = s.waitFor(time.Until(s.until))
	}
	if err == nil {
		n = copy(p, s.rest)
		s.rest = s.rest[n:]
	}
	return n, err
}

func (s *stream) within(until time.Time) { s.until = until }

func (s *stream) writeNow([]byte) int { return 0 } // any write may block

// Close closes the connection, on the host's side.
func (s *stream) Close() error { return s.Writer.(io.Closer).Close() }

func (s *stream) interrupt() {
	select {
	case s.bell <- struct{}{}:
	default: // it has not woken up yet
	}
}

// Stream is the host's side of a cell at the other end of a stream.
type Stream struct {
	Peer
	once  sync.Once
	tasks sync.WaitGroup // the goroutines that read, write and close
}

// Connect waits for the hello of the cell at the other end until ctx ends.
func Connect(ctx context.Context, conn io.ReadWriteCloser) (*Stream, error) {
	s, line := &Stream{}, newStream(conn)
	s.connect(line, s.Kill)
	s.tasks.Go(func() { line.pump(conn, s.died) })
	heard := context.AfterFunc(ctx, s.Interrupt)
	err := s.greet(time.Time{})
	if !heard() {
		err = context.Cause(ctx)
	}
	if err != nil {
		s.Kill()
		return nil, fmt.Errorf("there is no cell at the other end of the stream: %w", err)
	}
	s.tasks.Go(s.write)
	return s, nil
}

// Kill closes the stream, in the background.
func (s *Stream) Kill() {
	s.once.Do(func() {
		s.mu.Lock()
		s.closed, s.queue = true, nil
		close(s.died)
		s.mu.Unlock()
		s.tasks.Go(func() { _ = s.conn.Close() })
	})
}

// Wait waits until a killed stream has ended.
func (s *Stream) Wait() { s.tasks.Wait() }

// ServeStream serves a host over a stream, in a process that may do other things too.
func ServeStream(in io.Reader, out io.Writer) error {
	s, over := newStream(out), make(chan struct{})
	defer close(over)
	go s.pump(in, over)
	if code := serve(s, nil, nil); code != 0 {
		return errors.New("the host sent an invalid frame, or writing to it failed")
	}
	return nil
}
