package wire

import (
	"encoding/json"
	"fmt"
)

// Kind says what a frame is. The zero Kind is not valid.
type Kind byte

// The kinds of frames.
const (
	KindStart Kind = iota + 1
	KindResult
	KindStop
	KindCall
	KindLog
	KindProgress
	KindReturn
	KindThrow
	KindOperate
	KindHello
	KindCheck
	KindChecked
	KindNeed
	KindGiven
	kindEnd
)

// Valid reports whether k is one of the kinds above.
func (k Kind) Valid() bool { return k > 0 && k < kindEnd }

// String is the kind's name.
func (k Kind) String() string {
	if !k.Valid() {
		return fmt.Sprintf("kind %d", byte(k))
	}
	return [...]string{"start", "result", "stop", "call", "log", "progress", "return", "throw", "operate", "hello", "check", "checked", "need", "given"}[k-1]
}

// The caps of a frame.
const (
	// MaxHead bounds a head, in bytes. The head of a check has the source, and every
	// byte of it may be escaped.
	MaxHead = 2 << 20
	// MaxProgram bounds the heads that have a program, which may be many files, and the map to
	// them, likewise.
	MaxProgram = 26 << 20
	// MaxBody bounds a body that the host sends, in bytes. A result whose parts are as large as
	// a run's limits allow fits.
	MaxBody = 208 << 20
	// MaxValue bounds the value of a run.
	MaxValue = 80 << 20
	// MaxTextValue bounds the JSON of a value that is a text. It can exceed the run's limit: the
	// host cuts it, and keeps the whole.
	MaxTextValue = 16 << 20
	// MaxArguments bounds the body of a call, and of an operation on a handle.
	MaxArguments = 16 << 20
	// MaxCallHead bounds the heads of these two frames.
	MaxCallHead = 64 << 10
	// MaxDepth is how deep JSON can be nested. Parsers are recursive: deeper input has killed
	// hosts.
	MaxDepth = 1000
	// MaxHello bounds the first frame of a worker, in bytes.
	MaxHello = 64 << 10
)

// Frame is one message. A receiver can keep it: nobody changes its bytes.
type Frame struct {
	Kind Kind
	// Head is a JSON object; see the table of the package.
	Head []byte
	// Body is a JSON text, or empty.
	Body []byte
}

// New makes a frame with a head, which must encode as JSON.
func New(kind Kind, head any, body []byte) (Frame, error) {
	encoded, err := json.Marshal(head)
	if err != nil {
		return Frame{}, fmt.Errorf("head of a %s frame: %w", kind, err)
	}
	f := Frame{Kind: kind, Head: encoded, Body: body}
	return f, f.Check()
}

// Check refuses a frame that a [Reader] would refuse, and JSON that is nested too deep.
func (f Frame) Check() error {
	if !f.Kind.Valid() {
		return &Error{Msg: fmt.Sprintf("there is no frame of %s", f.Kind)}
	}
	if err := checkSize(f.Kind, uint64(len(f.Head)), uint64(len(f.Body))); err != nil {
		return err
	}
	if Depth(f.Head) > MaxDepth || Depth(f.Body) > MaxDepth {
		return &Error{Msg: fmt.Sprintf("the JSON of a %s frame is nested deeper than %d", f.Kind, MaxDepth)}
	}
	return nil
}

// Decode reads the head into one of the messages of this package.
func (f Frame) Decode(head any) error {
	if err := json.Unmarshal(f.Head, head); err != nil {
		return &Error{Msg: fmt.Sprintf("head of a %s frame: %v", f.Kind, err)}
	}
	return nil
}

// Error is the error of an invalid frame. After one the stream cannot be used.
type Error struct{ Msg string }

// Error implements error.
func (e *Error) Error() string { return e.Msg }

// caps are the largest head and body of a frame of a valid kind; 0 for kinds without a body.
func caps(kind Kind) (head, body uint64) {
	switch kind {
	case KindStart:
		return MaxProgram, MaxBody
	case KindChecked:
		return MaxProgram, 0
	case KindNeed:
		return MaxCallHead, 0
	case KindResult:
		return MaxHead, MaxBody
	case KindReturn:
		return MaxHead, MaxValue
	case KindCall, KindOperate:
		return MaxCallHead, MaxArguments
	case KindHello:
		return MaxHello, 0
	}
	return MaxHead, 0
}

func checkSize(kind Kind, head, body uint64) error {
	switch mostHead, mostBody := caps(kind); {
	case head > mostHead:
		return &Error{Msg: fmt.Sprintf("the head of a %s frame is %d bytes; at most %d are taken", kind, head, mostHead)}
	case body > mostBody:
		return &Error{Msg: fmt.Sprintf("the body of a %s frame is %d bytes; at most %d are taken", kind, body, mostBody)}
	}
	return nil
}
