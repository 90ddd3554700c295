package wire

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

const prefix = 1 + 4 + 4

// Reader reads frames from a stream. It is not safe for concurrent use.
type Reader struct {
	in     *bufio.Reader
	prefix []byte // with head and body, the part of the next frame that was read
	head   []byte
	body   []byte
	// wide is the size above which the value of a run waits for Admit; 0 means never.
	wide     int
	admitted bool
}

// errWide says that a value waits for [Reader.Admit].
var errWide = errors.New("the value is large, and was not admitted")

// Wide reports whether Read returned err because a value waits for Admit, and its size.
func (r *Reader) Wide(err error) (bytes int, is bool) {
	if !errors.Is(err, errWide) {
		return 0, false
	}
	return int(binary.BigEndian.Uint32(r.prefix[5:9])), true
}

// HoldWide makes Read stop before the value of a run that has more bytes, until Admit is
// called. 0 stops before none.
func (r *Reader) HoldWide(bytes int) { r.wide = bytes }

// Admit lets Read read the value that it stopped before.
func (r *Reader) Admit() { r.admitted = true }

// NewReader returns a reader of in. It can read ahead.
func NewReader(in io.Reader) *Reader {
	return &Reader{in: bufio.NewReader(in), prefix: make([]byte, 0, prefix)}
}

// Read returns the next frame. The error is io.EOF at the end of the stream,
// io.ErrUnexpectedEOF inside a frame, and an *[Error] for an invalid frame, for which it
// allocates nothing. Any other error is the stream's, and the next Read continues there.
func (r *Reader) Read() (Frame, error) {
	if err := r.fill(&r.prefix, prefix); err != nil {
		return Frame{}, err
	}
	kind := Kind(r.prefix[0])
	head, body := binary.BigEndian.Uint32(r.prefix[1:5]), binary.BigEndian.Uint32(r.prefix[5:9])
	if !kind.Valid() {
		return Frame{}, &Error{Msg: fmt.Sprintf("there is no frame of %s", kind)}
	}
	if err := checkSize(kind, uint64(head), uint64(body)); err != nil {
		return Frame{}, err
	}
	if r.wide > 0 && kind == KindReturn && int(body) > r.wide && !r.admitted {
		return Frame{}, errWide
	}
	if err := r.fill(&r.head, int(head)); err != nil {
		return Frame{}, err
	}
	if err := r.fill(&r.body, int(body)); err != nil {
		return Frame{}, err
	}
	f := Frame{Kind: kind, Head: r.head, Body: r.body}
	r.prefix, r.head, r.body, r.admitted = r.prefix[:0], nil, nil, false
	return f, f.Check()
}

// Buffered reports whether bytes of later frames have been read.
func (r *Reader) Buffered() bool { return r.in.Buffered() > 0 }

// fill reads n bytes and allocates as they come, so that a peer that announces much and sends
// little costs little.
func (r *Reader) fill(part *[]byte, n int) error {
	const step = 1 << 20
	for len(*part) < n {
		from := len(*part)
		if from == cap(*part) {
			*part = slices.Grow(*part, min(n-from, max(step, from)))
		}
		got, err := r.in.Read((*part)[from:min(n, cap(*part))])
		*part = (*part)[:from+got]
		if errors.Is(err, io.EOF) && len(r.prefix) > 0 && len(*part) < n {
			return io.ErrUnexpectedEOF
		}
		if err != nil && len(*part) < n {
			return err
		}
	}
	return nil
}

// Write writes one frame in one call of out.Write, or refuses it with an
// *[Error] and writes nothing.
func Write(out io.Writer, f Frame) error {
	encoded, err := Encode(f)
	if err != nil {
		return err
	}
	_, err = out.Write(encoded)
	return err
}

// Encode returns the bytes of a frame, or an *[Error].
func Encode(f Frame) ([]byte, error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	buf := make([]byte, 0, prefix+len(f.Head)+len(f.Body))
	buf = append(buf, byte(f.Kind))
	buf = binary.BigEndian.AppendUint32(buf, uint32(len(f.Head)))
	buf = binary.BigEndian.AppendUint32(buf, uint32(len(f.Body)))
	return append(append(buf, f.Head...), f.Body...), nil
}
