package serve

import (
	"context"
	"errors"
	"io"
	"syscall"
	"time"
)

const (
	// grace is how long runs may go on once no more requests are accepted.
	grace = 3 * time.Second
	// lastAnswers is how long the answers of runs may take that are ended then.
	lastAnswers = time.Second
	// lookout is how often a silent client is checked for.
	lookout = time.Second
)

var (
	errEnding   = errors.New("the server is ending")
	errVanished = errors.New("the client is gone")
)

// Stdio serves one client on two streams, with a JSON text per line, until the client
// closes one of them or ctx ends. Requests that came before that are answered within
// three seconds, or ended. Nothing else may write to out. Stdio does not wait for a
// read of in or a write to out that never ends.
func (s *Server) Stdio(ctx context.Context, in io.Reader, out io.Writer) error {
	client := newLines(in, out)
	client.ledger.posts = &s.callers
	defer client.ledger.abandon()
	client.calls = newCalls(ctx, s, client)
	session, err := s.mcp.Connect(context.WithoutCancel(ctx), client, nil)
	if err != nil {
		return err
	}
	client.calls.session = session
	go client.pump() //nolint:contextcheck // it lasts as long as the session
	over := make(chan error, 1)
	go func() { over <- session.Wait() }()

	why := errEnding
	select {
	case err := <-over: // the server was closed
		return harmlessEnd(err)
	case <-client.ended:
		why = errVanished
	case <-client.broken:
		why = errVanished
	case <-gone(client.closed, out):
		client.unheard()
		why = errVanished
	case <-gone(client.closed, in): // its last messages may wait for a place
		why = errVanished
		select {
		case <-client.ended:
		case <-client.broken:
		case <-ctx.Done():
		case <-time.After(lookout):
		}
	case <-ctx.Done():
	}
	client.ledger.refuse()
	client.settle(grace)
	s.end(session, why)
	client.settle(lastAnswers)
	_ = client.Close() // it never fails
	select {
	case err = <-over:
	case <-time.After(lastAnswers): // a write is stuck that nobody reads
		s.leave(session)
	}
	if ctx.Err() != nil {
		return nil
	}
	select {
	case <-client.ended:
		err = errors.Join(client.err, err)
	default:
	}
	return harmlessEnd(err)
}

// harmlessEnd is nil for errors that only mean that the client closed its end.
func harmlessEnd(err error) error {
	for _, end := range []error{io.EOF, io.ErrClosedPipe, syscall.EPIPE} {
		if errors.Is(err, end) {
			return nil
		}
	}
	return err
}

// settle waits until nothing is unanswered, as long as somebody may read the answers.
func (l *lines) settle(atMost time.Duration) {
	timer := time.NewTimer(atMost)
	defer timer.Stop()
	for {
		done, changed := l.ledger.settled()
		if done {
			return
		}
		select {
		case <-changed:
		case <-l.broken:
			return
		case <-timer.C:
			return
		}
	}
}
