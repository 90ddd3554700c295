package mcptools

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
)

var errTooMuch = errors.New("the answer is too large")

// boundedBody fails when there is more than there may be.
type boundedBody struct {
	io.ReadCloser
	left, most int64
	of         *delivery
	release    func() // once it is closed
}

// Read implements [io.Reader].
func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		b.of.tooMuch.Store(b.most)
		return 0, errTooMuch
	}
	return n, err
}

// Close implements [io.Closer].
func (b *boundedBody) Close() error {
	defer b.release()
	return b.ReadCloser.Close()
}

// screenedBody is a body with only the answers in it, each written anew. It reads no
// further ahead than it must.
type screenedBody struct {
	io.Closer
	next func() ([]byte, error) // the next part; it may come with an error
	left []byte
	err  error
}

// Read implements [io.Reader].
func (b *screenedBody) Read(p []byte) (int, error) {
	for len(b.left) == 0 {
		if b.err != nil {
			return 0, b.err
		}
		b.left, b.err = b.next()
	}
	n := copy(p, b.left)
	b.left = b.left[n:]
	return n, nil
}

// screened is the screened body of a response.
func (w *web) screened(r *http.Request, response *http.Response, body io.ReadCloser) io.ReadCloser {
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")) // unknown is not a stream either
	screened := &screenedBody{Closer: body}
	if response.StatusCode/100 == 3 && response.Header.Get("Location") != "" {
		return body // it is not decoded
	}
	if kind == "text/event-stream" && response.StatusCode/100 == 2 {
		events := bufio.NewReaderSize(body, 16<<10)
		screened.next = func() ([]byte, error) {
			data, end := nextEvent(events)
			text, err := w.sort(r, data)
			if err == nil {
				err = end
			}
			return text, err
		}
		return screened
	}
	screened.next = func() ([]byte, error) {
		text, err := io.ReadAll(body)
		if err != nil {
			return nil, err
		}
		if s, err := screen(text); err == nil {
			return s.answer, io.EOF
		}
		if err := exceeded(text); err != nil {
			return nil, err
		}
		return text, io.EOF // perhaps a page that says what is wrong
	}
	return screened
}

// sort replies to an event that is a request, and returns one that is an answer as an
// event with nothing else in it.
func (w *web) sort(r *http.Request, data []byte) ([]byte, error) {
	s, err := screen(data)
	if err != nil || s.answer == nil && s.reply == nil { // noise and notifications
		return nil, nil //nolint:nilerr // it is skipped
	}
	if s.reply != nil {
		return nil, w.reply(r, s.reply)
	}
	text := make([]byte, 0, len(s.answer)+8)
	text = append(text, "data:"...)
	for i, line := range bytes.Split(s.answer, []byte("\n")) {
		if i > 0 {
			text = append(text, ' ') // between lines there is only space
		}
		text = append(text, line...)
	}
	return append(text, "\n\n"...), nil
}

// nextEvent reads the data of the next event of a stream. Named events count as empty.
// An error comes with the last event.
func nextEvent(events *bufio.Reader) (data []byte, err error) {
	named, lines := false, 0
	defer func() {
		if named {
			data = nil
		}
	}()
	for {
		line, err := events.ReadBytes('\n')
		line = bytes.TrimRight(line, "\r\n")
		key, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch {
		case len(line) == 0 && lines == 0:
			named = false
		case len(line) == 0:
			return data, err
		case string(key) == "event":
			named = len(value) > 0 && string(value) != "message"
		case string(key) == "data":
			if lines++; lines > 1 {
				data = append(data, '\n')
			}
			data = append(data, value...)
		}
		if err != nil {
			return data, err
		}
	}
}
