package serve

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxLine is the longest line that is accepted, in bytes; it holds the largest inputs
// of a run.
const maxLine = 32 << 20

// lines is one client on two streams, with a JSON text per line. It is the library's
// [mcp.Connection] and its [mcp.Transport].
type lines struct {
	in  *bufio.Reader
	out io.Writer

	ledger   ledger
	calls    *calls
	incoming chan jsonrpc.Message
	writing  chan struct{} // held while a line is written

	ended  chan struct{} // closed when nothing more will be read
	err    error         // why it ended; set before ended is closed
	broken chan struct{} // closed when nothing more can be written
	closed chan struct{}

	breaking, closing sync.Once
}

var (
	_ mcp.Connection = (*lines)(nil)
	_ mcp.Transport  = (*lines)(nil)
)

func newLines(in io.Reader, out io.Writer) *lines {
	return &lines{
		in: bufio.NewReaderSize(in, 64<<10), out: out,
		incoming: make(chan jsonrpc.Message), writing: make(chan struct{}, 1),
		ended: make(chan struct{}), broken: make(chan struct{}), closed: make(chan struct{}),
	}
}

// Connect implements [mcp.Transport].
func (l *lines) Connect(context.Context) (mcp.Connection, error) { return l, nil }

// SessionID implements [mcp.Connection]; the only session has no name.
func (l *lines) SessionID() string { return "" }

// Close implements [mcp.Connection].
func (l *lines) Close() error {
	l.closing.Do(func() { close(l.closed) })
	return nil
}

// Read implements [mcp.Connection]. It ends when the connection is closed, not when the
// stream ends: requests that came before the end are answered first.
func (l *lines) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-l.incoming:
		return m, nil
	case <-l.closed:
		l.calls.wait() // the library waits for its own
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// pump reads the stream to its end, or until the connection is closed.
func (l *lines) pump() {
	for {
		line, err := l.line()
		if err == nil && len(bytes.TrimSpace(line)) > 0 {
			err = l.take(bytes.TrimSpace(line))
		}
		if errors.Is(err, errReplaced) {
			return
		}
		if err != nil {
			l.err = err
			close(l.ended)
			for _, answer := range l.ledger.silence() {
				_ = l.pass(answer) // or the session is over
			}
			return
		}
	}
}

// errReplaced tells the goroutine that has read so far that another one reads now.
var errReplaced = errors.New("another one reads")

// soon is how long nobody reads while a call runs that came alone: waking another
// goroutine would take a good part of a short call.
const soon = time.Millisecond

// alone reports whether nothing is buffered and at most one request is to be answered.
func (l *lines) alone() bool { return l.in.Buffered() == 0 && l.ledger.single() }

// meanwhile runs do on the goroutine that reads. If do takes longer than soon, another
// goroutine goes on reading.
func (l *lines) meanwhile(do func()) error {
	deputy := time.AfterFunc(soon, l.pump)
	do()
	if !deputy.Stop() {
		return errReplaced
	}
	return nil
}

// line reads a line, or as much of it as is accepted. A long line is joined once all of
// it has come.
func (l *lines) line() (line []byte, err error) {
	var parts [][]byte
	size := 0
	for {
		part, err := l.in.ReadSlice('\n')
		if size <= maxLine {
			parts = append(parts, bytes.Clone(part))
			size += len(part)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && size > 0 && errors.Is(err, io.EOF):
			err = nil // the next call reports the end
		}
		if len(parts) == 1 {
			return parts[0], err
		}
		return slices.Concat(parts...), err
	}
}

// take passes on the messages of a line, or refuses them.
func (l *lines) take(line []byte) error {
	switch {
	case len(line) > maxLine:
		return l.write((&refusal{readableID(line), jsonrpc.CodeInvalidRequest, fmt.Sprintf("a message has at most %d bytes", maxLine)}).line())
	case line[0] == '[':
		return l.takeBatch(line)
	}
	m, refused := readMessage(line)
	if refused != nil {
		return l.write(refused.line())
	}
	return l.deliver(m, len(line), nil)
}

// deliver passes on a message once there is a place for it.
func (l *lines) deliver(m *message, size int, in *batch) error {
	passed, refused := l.ledger.enter(m, size, in, l.closed)
	if refused != nil {
		if in == nil {
			return l.write(refused.line())
		}
		all, settled := l.ledger.add(in, refused.line())
		if all == nil {
			return nil
		}
		defer settled()
		return l.write(all...)
	}
	if passed == nil {
		return nil
	}
	if request, ok := passed.(*jsonrpc.Request); ok && in == nil {
		if taken, err := l.calls.take(request); taken {
			return err
		}
	}
	return l.pass(passed)
}

// pass gives a message to the library.
func (l *lines) pass(m jsonrpc.Message) error {
	select {
	case l.incoming <- m:
		return nil
	case <-l.closed:
		return io.ErrClosedPipe
	}
}

// Write implements [mcp.Connection].
func (l *lines) Write(ctx context.Context, m jsonrpc.Message) error {
	switch m := m.(type) {
	case *jsonrpc.Response:
		line, settled := l.ledger.answer(m)
		if line == nil {
			return nil // the rest of its batch is to come
		}
		defer settled()
		return l.send(ctx, line...)
	case *jsonrpc.Request:
		line, err := jsonrpc.EncodeMessage(m)
		if err != nil {
			return err
		}
		if m.IsCall() && !l.ledger.ask(m.ID) {
			return errSilent
		}
		if !m.IsCall() {
			l.ledger.unask(m)
		}
		return l.send(ctx, line)
	}
	return fmt.Errorf("%T is not a message", m)
}

// write sends a line that the library knows nothing of.
func (l *lines) write(line ...[]byte) error { return l.send(context.Background(), line...) }

// send writes a line, in pieces; concurrent calls take turns.
func (l *lines) send(ctx context.Context, line ...[]byte) error {
	select {
	case l.writing <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	case <-l.closed:
		return io.ErrClosedPipe
	}
	defer func() { <-l.writing }()
	err := writeLine(l.out, line)
	if err != nil {
		l.unheard()
	}
	return err
}

// writeLine writes pieces and a newline: small pieces together, large ones without a
// copy.
func writeLine(out io.Writer, pieces [][]byte) error {
	if len(pieces) == 1 {
		_, err := out.Write(append(pieces[0], '\n'))
		return err
	}
	w := bufio.NewWriterSize(out, 32<<10)
	for _, piece := range pieces {
		_, _ = w.Write(piece) // Flush returns the error
	}
	_ = w.WriteByte('\n')
	return w.Flush()
}

// unheard notes that the client reads no more answers.
func (l *lines) unheard() { l.breaking.Do(func() { close(l.broken) }) }
