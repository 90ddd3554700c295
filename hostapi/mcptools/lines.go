package mcptools

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// maxLine is the longest line a server may send, in bytes.
	maxLine = 16 << 20
	// stall is how long a server may take to read one message.
	stall = 30 * time.Second
	// maxNoise is how many lines that are not messages are noted in a session.
	maxNoise = 5
)

var (
	errNotSent = errors.New("the request was not sent")
	errGone    = errors.New("it has ended")
)

// lines talks to a program over two streams, a message on each line. It is an
// [mcp.Connection] and an [mcp.Transport]. Lines that are not messages are skipped and
// noted.
type lines struct {
	in    *bufio.Reader
	out   io.Writer
	note  func(what string)
	limit atomic.Int64 // bytes of a line
	alive func() bool  // the program is there to read

	incoming chan jsonrpc.Message
	outgoing chan outgoing
	replies  *replies
	ended    chan struct{} // closed when nothing more is read
	err      error         // why, once ended is closed
	closed   chan struct{}
	closing  sync.Once
}

type outgoing struct {
	line []byte
	done chan error // takes one
}

var (
	_ mcp.Connection = (*lines)(nil)
	_ mcp.Transport  = (*lines)(nil)
)

// newLines reads and writes until it is closed, and the streams with it.
func newLines(in io.Reader, out io.Writer, note func(string), alive func() bool) *lines {
	l := &lines{
		in: bufio.NewReaderSize(in, 64<<10), out: out, note: note, alive: alive,
		incoming: make(chan jsonrpc.Message), outgoing: make(chan outgoing), replies: newReplies(note),
		ended: make(chan struct{}), closed: make(chan struct{}),
	}
	l.limit.Store(maxLine)
	go l.pump()
	go l.write()
	return l
}

// setLimit limits the lines that are read; 0 is the default.
func (l *lines) setLimit(bytes int64) {
	if bytes == 0 {
		bytes = maxLine
	}
	l.limit.Store(bytes)
}

// Connect implements [mcp.Transport].
func (l *lines) Connect(context.Context) (mcp.Connection, error) { return l, nil }

// SessionID implements [mcp.Connection].
func (l *lines) SessionID() string { return "" }

// Close implements [mcp.Connection]. The streams are the program's to close.
func (l *lines) Close() error {
	l.closing.Do(func() { close(l.closed) })
	return nil
}

// Read implements [mcp.Connection].
func (l *lines) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-l.incoming:
		return m, nil
	case <-l.ended:
		return nil, l.err
	case <-l.closed:
		return nil, errGone
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// pump reads messages until there are no more.
func (l *lines) pump() {
	defer close(l.ended)
	noise := 0
	for {
		line, err := l.line()
		if err != nil {
			l.err = err
			return
		}
		answers, wrong := l.take(line)
		if errors.Is(wrong, errDeaf) {
			l.err = wrong
			return
		}
		if wrong != nil {
			if noise++; noise <= maxNoise {
				l.note(fmt.Sprintf("a line on its stdout is not a message: %.200q", line))
			}
			if noise == maxNoise {
				l.note("more such lines of this start are not noted")
			}
		}
		for _, m := range answers {
			select {
			case l.incoming <- m:
			case <-l.closed:
				l.err = errGone
				return
			}
		}
	}
}

// take screens the messages of a line: it replies to requests and returns the answers.
// An answer that cannot be read becomes an error for the call that waits for it.
func (l *lines) take(line []byte) (answers []jsonrpc.Message, wrong error) {
	messages, more := messagesOf(line)
	if more {
		l.note(fmt.Sprintf("only the first %d messages of a list are read", maxBatch))
	}
	for _, raw := range messages {
		s, err := screen(raw)
		if err != nil {
			wrong = err
			continue
		}
		if s.reply != nil {
			if err := l.replies.put(s.reply); err != nil {
				return nil, err
			}
		}
		if s.answer == nil {
			continue
		}
		m, err := jsonrpc.DecodeMessage(s.answer)
		if err != nil {
			wrong = err
			m, err = jsonrpc.DecodeMessage(unreadable(s.answer, err))
		}
		if err == nil {
			answers = append(answers, m)
		}
	}
	return answers, wrong
}

// line is the next one that is not empty.
func (l *lines) line() (line []byte, err error) {
	for {
		part, err := l.in.ReadSlice('\n')
		line = append(line, part...)
		limit := int(l.limit.Load())
		switch {
		case len(line) > limit:
			return nil, fmt.Errorf("it sent more than %d bytes in one message, the most that is taken", limit)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case len(bytes.TrimSpace(line)) > 0:
			return bytes.TrimSpace(line), nil // an error comes with the next
		case err != nil:
			return nil, errGone // the error says only how a pipe ends
		}
		line = line[:0]
	}
}

// Write implements [mcp.Connection]. It waits until the program has read the message,
// ctx ends, or the connection is closed. The library sends no replies: see [screen].
func (l *lines) Write(ctx context.Context, m jsonrpc.Message) error {
	line, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	o := outgoing{append(line, '\n'), make(chan error, 1)}
	sent := deliveryOf(ctx).begin()
	select {
	case l.outgoing <- o:
	case <-l.closed:
		sent(false)
		return errNotSent
	case <-l.ended:
		sent(false)
		return errNotSent
	case <-ctx.Done():
		sent(false)
		return ctx.Err()
	}
	select {
	case err := <-o.done:
		sent(err == nil)
		return err
	case <-ctx.Done(): // it may still arrive
		err = ctx.Err()
	case <-l.closed:
		err = errNotSent
	}
	go func() { sent(<-o.done == nil) }() // it ends with the pipe
	return err
}

// write writes one message at a time, and whole, even if its call gave up.
func (l *lines) write() {
	for {
		var o outgoing
		select {
		case <-l.closed:
			return
		case o = <-l.outgoing:
		case reply := <-l.replies.waiting:
			o = outgoing{append(reply, '\n'), make(chan error, 1)}
		}
		stuck := time.AfterFunc(stall, func() {
			l.note(fmt.Sprintf("it did not read a request for %v; the connection is closed", stall))
			_ = l.Close() // which never fails
		})
		// A process that is just starting can hold the pipe of a program that has ended.
		err := errNotSent
		if l.alive() {
			_, err = l.out.Write(o.line)
		}
		stuck.Stop()
		if err != nil {
			err = errNotSent // a line without its end is no request
		}
		o.done <- err
		if err != nil {
			_ = l.Close() // which never fails
			return
		}
	}
}
