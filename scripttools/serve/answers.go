package serve

import (
	"context"
	"errors"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/hostapi/jsonbound"
	"github.com/scriptrun/scriptrun/hostapi/schema"
	"github.com/scriptrun/scriptrun/runtime"
)

// answers are where results have their places: of runs, for as much as each may
// return, until it has; and of what is written, until it is. An answer holds its
// text several times while it is encoded. What is written waits for nothing but
// its client.
//
// Arguments of many parts take much more memory than their text, and have room by
// their parts, until their runs have ended.
type answers struct{ returned, written, parts *room }

const (
	defaultSessionAnswers = 64 << 20
	defaultAnswers        = 256 << 20
	// sessionParts and allParts are how many parts the arguments of large calls have
	// together.
	sessionParts = 2 * schema.MaxParts
	allParts     = 4 * schema.MaxParts
	// fewParts is how large arguments are whose parts are not counted, in bytes.
	fewParts = 8 << 10
)

func newAnswers(most, parts int64) answers {
	return answers{newRoom(most), newRoom(most / 2), newRoom(parts)}
}

// mayRun waits until there is room for the arguments of a run, and for what it may
// return. The wait is part of the run's time.
func (s *Server) mayRun(ctx context.Context, of *session, limits runtime.Limits, inputs []byte) (arguments, returns *taken, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limits.Timeout, errBusy)
	defer cancel()
	arguments = &taken{}
	if parts := partsOf(inputs); parts > 0 {
		if arguments, err = (rooms{of.answers.parts, s.answers.parts}).take(ctx, parts); err != nil {
			return nil, nil, err
		}
	}
	if returns, err = (rooms{of.answers.returned, s.answers.returned}).take(ctx, limits.MaxOutputBytes); err != nil {
		arguments.shrink(0)
		return nil, nil, err
	}
	return arguments, returns, nil
}

// partsOf counts those of a text; 0 if they cannot be many.
func partsOf(inputs []byte) int64 {
	if len(inputs) <= fewParts {
		return 0
	}
	m := jsonbound.Scan(inputs)
	for m.Next() { //nolint:revive // it counts
	}
	return int64(m.Parts)
}

var errBusy = errors.New("the results or the arguments of other calls take all the room that there is; call again when some have been answered")

// mayWrite waits until an answer of so many bytes may be encoded and written. It is
// held by the message that is answered, and in a batch it does not wait: the
// others there are held until all are written.
func (s *Server) mayWrite(ctx context.Context, of *session, extra *mcp.RequestExtra, size int64) error {
	in := rooms{s.answers.written}
	if of != nil {
		in = rooms{of.answers.written, s.answers.written}
	}
	p := s.callers.post(extra)
	if p == nil || size == 0 {
		return nil // nobody hears it, or it is short
	}
	if p.batch {
		t := in.try(size)
		if t == nil {
			return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the answers of this batch are too large together; ask one by one"}
		}
		p.hold(t)
		return nil
	}
	t := in.try(size) // also for a call that was cancelled when it was done
	if t == nil {
		var err error
		if t, err = in.take(ctx, size); err != nil {
			return err
		}
	}
	p.hold(t)
	return nil
}

// answerSize is about how many bytes the result of a run has on its way; 0 for one
// that says why there is none.
func answerSize(report *runtime.Report) (size int64) {
	if report.Outcome != runtime.OutcomeOK {
		return 0
	}
	size = asWritten(report.Text)
	if isObject(report.Value) {
		size += int64(len(report.Value))
	}
	return size
}

// asWritten is how long a text is as a JSON string: a control character takes six
// bytes.
func asWritten(text string) (size int64) {
	size = int64(len(text))
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\' || c == '\n' || c == '\t' || c == '\r':
			size++
		case c < ' ':
			size += 5
		}
	}
	return size
}

// owed is what the answers to a message hold until they are written.
type owed struct {
	mu   sync.Mutex
	all  []*taken
	over bool
}

func (o *owed) hold(t *taken) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.over {
		t.shrink(0)
		return
	}
	o.all = append(o.all, t)
}

func (o *owed) settle() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.over = true
	for _, t := range o.all {
		t.shrink(0)
	}
	o.all = nil
}
