package sandbox

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"strings"
)

// The frames of each command have a binary form, because reading JSON takes longer
// than sending it. The first byte says which form a frame has.
const (
	frameJSON  = iota // all other frames
	frameStart        // an order to start a command
	frameTold         // an answer that a command has started, exited or ended
)

var errFrame = errors.New("unknown frame")

// encode makes a frame of an order or an answer.
func encode(frame any) ([]byte, error) {
	switch f := frame.(type) {
	case order:
		if f.Start != nil {
			return f.Start.encode(f.ID), nil
		}
	case answer:
		short := answer{ID: f.ID, Started: f.Started, Exited: f.Exited, Ended: f.Ended} // what the binary form can hold
		if f == short && (f.Started == nil || *f.Started == (started{})) {
			return f.encode(), nil
		}
	}
	body, err := json.Marshal(frame)
	return append([]byte{frameJSON}, body...), err
}

// decode reads what encode made, into an *order or an *answer.
func decode(body []byte, frame any) error {
	if len(body) == 0 {
		return errFrame
	}
	switch into := frame.(type) {
	case *order:
		if body[0] == frameStart {
			return into.decode(body[1:])
		}
	case *answer:
		if body[0] == frameTold {
			return into.decode(body[1:])
		}
	}
	if body[0] != frameJSON {
		return errFrame
	}
	return json.Unmarshal(body[1:], frame)
}

// The fixed part of a start order. Then come path, folder, arguments and environment,
// separated by NUL, which none of them contains.
const (
	startsPty   = 1 << 3 // of its flags; those below are of the streams
	startHeader = 8 + 1 + 2 + 2 + 4
)

const nul = "\x00"

func (s *startOrder) encode(id int64) []byte {
	flags, size := byte(0), Size{}
	for i, given := range s.Streams {
		if given {
			flags |= 1 << i
		}
	}
	if s.Pty != nil {
		flags, size = flags|startsPty, *s.Pty
	}
	body := binary.BigEndian.AppendUint64([]byte{frameStart}, uint64(id))
	body = append(body, flags)
	body = binary.BigEndian.AppendUint16(body, size.Rows)
	body = binary.BigEndian.AppendUint16(body, size.Cols)
	body = binary.BigEndian.AppendUint32(body, uint32(len(s.Args)))
	body = append(append(append(body, s.Path...), 0), s.Dir...)
	for _, list := range [][]string{s.Args, s.Env} {
		for _, text := range list {
			body = append(append(body, 0), text...)
		}
	}
	return body
}

// decode reads a start order.
func (o *order) decode(body []byte) error {
	if len(body) < startHeader {
		return errFrame
	}
	o.ID, o.Start = int64(binary.BigEndian.Uint64(body)), &startOrder{}
	flags, args := body[8], int(binary.BigEndian.Uint32(body[13:]))
	for i := range o.Start.Streams {
		o.Start.Streams[i] = flags&(1<<i) != 0
	}
	if flags&startsPty != 0 {
		o.Start.Pty = &Size{Rows: binary.BigEndian.Uint16(body[9:]), Cols: binary.BigEndian.Uint16(body[11:])}
	}
	texts := strings.Split(string(body[startHeader:]), nul)
	if len(texts)-2 < args {
		return errFrame
	}
	o.Start.Path, o.Start.Dir, texts = texts[0], texts[1], texts[2:]
	o.Start.Args, o.Start.Env = texts[:args:args], texts[args:]
	return nil
}

// The flags of an answer.
const (
	toldStarted = 1 << iota
	toldExited
	toldEnded
)

func (a answer) encode() []byte {
	flags, status := byte(0), uint32(0)
	if a.Started != nil {
		flags |= toldStarted
	}
	if a.Exited {
		flags |= toldExited
	}
	if a.Ended != nil {
		flags, status = flags|toldEnded, *a.Ended
	}
	body := binary.BigEndian.AppendUint64([]byte{frameTold}, uint64(a.ID))
	return binary.BigEndian.AppendUint32(append(body, flags), status)
}

func (a *answer) decode(body []byte) error {
	if len(body) != 8+1+4 {
		return errFrame
	}
	flags, status := body[8], binary.BigEndian.Uint32(body[9:])
	a.ID, a.Exited = int64(binary.BigEndian.Uint64(body)), flags&toldExited != 0
	if flags&toldStarted != 0 {
		a.Started = &started{}
	}
	if flags&toldEnded != 0 {
		a.Ended = &status
	}
	return nil
}
