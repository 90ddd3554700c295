package wire

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

const prefix = 1 + 4 + 4

// Reader reads frames from a stream. It is not safe for concurrent use.
type Reader struct{ in *bufio.Reader }

// NewReader returns a reader of in, which it may read ahead of.
func NewReader(in io.Reader) *Reader { return &Reader{in: bufio.NewReader(in)} }

// Read returns the next frame. The error is io.EOF at the end of the stream,
// io.ErrUnexpectedEOF inside a frame, and an *[Error] for a frame that must
// not be read; nothing is allocated for what such a frame claims to hold.
func (r *Reader) Read() (Frame, error) {
	var p [prefix]byte
	if _, err := io.ReadFull(r.in, p[:]); err != nil {
		return Frame{}, err
	}
	kind := Kind(p[0])
	head, body := binary.BigEndian.Uint32(p[1:5]), binary.BigEndian.Uint32(p[5:9])
	if !kind.Valid() {
		return Frame{}, &Error{Msg: fmt.Sprintf("there is no frame of %s", kind)}
	}
	if err := checkSize(kind, uint64(head), uint64(body)); err != nil {
		return Frame{}, err
	}
	f := Frame{Kind: kind}
	var err error
	if f.Head, err = readN(r.in, int(head)); err != nil {
		return Frame{}, err
	}
	if f.Body, err = readN(r.in, int(body)); err != nil {
		return Frame{}, err
	}
	return f, f.Check()
}

// readN reads n bytes, allocating as they come: a peer that claims much and
// sends little costs little.
func readN(in io.Reader, n int) ([]byte, error) {
	const step = 1 << 20
	if n == 0 {
		return nil, nil
	}
	out := make([]byte, 0, min(n, step))
	for len(out) < n {
		from := len(out)
		out = append(out, make([]byte, min(n-from, step))...)
		if _, err := io.ReadFull(in, out[from:]); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
	return out, nil
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

// Encode is a frame as it is written, or an *[Error].
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
