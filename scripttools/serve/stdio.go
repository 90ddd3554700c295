package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Stdio serves one client on two streams, a JSON text a line, until the client
// closes its end or ctx ends. What was asked before the end is answered.
// Nothing else may write to out.
func (s *Server) Stdio(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	owed := &debts{paid: make(chan struct{}, 1)}
	writer := &lineWriter{out: out, owed: owed}
	reader := &lineReader{in: bufio.NewReaderSize(in, 64<<10), out: writer, owed: owed, ctx: ctx}
	err := s.mcp.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(reader), Writer: writer, MaxLineLength: maxLine + 1<<10})
	for _, gone := range []error{io.EOF, io.ErrClosedPipe, syscall.EPIPE} {
		if errors.Is(err, gone) {
			return nil // the client has had enough, and need not say so
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// debts are the requests that have not been answered. The library forgets them
// when a client has closed its end.
type debts struct {
	mu   sync.Mutex
	ours int // requests of the client
	his  int // requests of ours, which nobody will answer any more
	paid chan struct{}
}

// note takes nil for a line that is not one message.
func (d *debts) note(message jsonrpc.Message, byClient bool) {
	if message == nil {
		return
	}
	var request, response, cancel bool
	switch m := message.(type) {
	case *jsonrpc.Request:
		request, cancel = m.ID.IsValid(), m.Method == "notifications/cancelled"
	case *jsonrpc.Response:
		response = true
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case byClient && request:
		d.ours++
	case byClient && cancel, !byClient && response:
		d.ours-- // what is cancelled may stay unanswered
	case !byClient && request:
		d.his++
	case byClient && response:
		d.his--
	}
	select {
	case d.paid <- struct{}{}:
	default:
	}
}

func (d *debts) none() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.ours <= 0 || d.his > 0
}

// settle waits until everything is answered that can be.
func (d *debts) settle(ctx context.Context) {
	for !d.none() {
		select {
		case <-d.paid:
		case <-ctx.Done():
			return
		}
	}
}

// maxLine is the longest line that is taken, in bytes; it holds the largest
// inputs of a run.
const maxLine = 32 << 20

// lineReader passes on the lines that are messages. Others are answered here:
// the library would end the session over one.
type lineReader struct {
	in   *bufio.Reader
	out  *lineWriter
	owed *debts
	ctx  context.Context
	rest []byte // of the line that is being passed on
}

// Read implements [io.Reader].
func (r *lineReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		line, err := r.line()
		if err != nil {
			if errors.Is(err, io.EOF) {
				r.owed.settle(r.ctx)
			}
			return 0, err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		message, refusal := readMessage(line)
		if refusal != nil {
			if _, err := r.out.Write(append(refusal, '\n')); err != nil {
				return 0, err
			}
			continue
		}
		r.owed.note(message, true)
		r.rest = line
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// line reads one, or as much of it as is taken.
func (r *lineReader) line() (line []byte, err error) {
	for {
		part, err := r.in.ReadSlice('\n')
		if len(line) <= maxLine {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && len(line) > 0 && errors.Is(err, io.EOF):
			return append(line, '\n'), nil // the end comes with the next
		}
		return line, err
	}
}

// readMessage reads a line, as the library will: it takes "ID" for no id. The
// message is nil for a list of them. The refusal is the answer to a line that is
// no message of JSON-RPC.
func readMessage(line []byte) (message jsonrpc.Message, refusal []byte) {
	code, text := jsonrpc.CodeParseError, "it is not JSON"
	switch {
	case len(line) > maxLine:
		code, text = jsonrpc.CodeInvalidRequest, fmt.Sprintf("a message is at most %d bytes", maxLine)
	case json.Valid(line):
		code, text = jsonrpc.CodeInvalidRequest, "it is not a JSON-RPC 2.0 message"
		if bytes.TrimSpace(line)[0] != '[' {
			if message = asMessage(line); message != nil {
				return message, nil
			}
			break
		}
		var list []json.RawMessage
		_ = json.Unmarshal(line, &list)
		if len(list) > 0 && !slices.ContainsFunc(list, func(m json.RawMessage) bool { return asMessage(m) == nil }) {
			return nil, nil
		}
	}
	refusal, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": text}})
	if err != nil {
		return nil, []byte("{}") // it cannot fail
	}
	return nil, refusal
}

// asMessage is nil for what is none, or what the library would end the session
// over.
func asMessage(raw json.RawMessage) jsonrpc.Message {
	message, err := jsonrpc.DecodeMessage(raw)
	if err != nil {
		return nil
	}
	var m map[string]json.RawMessage // a struct would take keys in any case
	if json.Unmarshal(raw, &m) != nil {
		return nil
	}
	id, method := string(m["id"]), string(m["method"])
	if id != "" && id[0] != '"' && (id[0] < '0' || id[0] > '9') && id[0] != '-' {
		return nil // null, true, a list, an object
	}
	if method != "" && method != "null" || id != "" && (len(m["result"]) > 0 || len(m["error"]) > 0) {
		return message
	}
	return nil
}

// lineWriter writes a line at a time, whoever writes it.
type lineWriter struct {
	mu   sync.Mutex
	out  io.Writer
	owed *debts
}

// Write implements [io.Writer]; each call is a line.
func (w *lineWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	n, err := w.out.Write(p)
	w.mu.Unlock()
	message, decodeErr := jsonrpc.DecodeMessage(p)
	if decodeErr != nil {
		message = nil // it is a list, or a refusal of ours
	}
	w.owed.note(message, false)
	return n, err
}

// Close implements [io.Closer].
func (w *lineWriter) Close() error { return nil }
