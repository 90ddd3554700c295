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

// answers are where results have their places: returned, from when a value comes
// from its worker until its answer is made; written, from then until it is written,
// for an answer holds its text several times while it is encoded. What is returned
// waits for what is written, and that for nothing but its clients, who are cut short
// if they do not read while others wait.
//
// Arguments of many parts take much more memory than their text while they are
// checked, and have room by their parts until they have been.
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

func newAnswers(most, mostOfSession int64) answers {
	return answers{newRoom(most, mostOfSession), newRoom(most/2, mostOfSession/2), newRoom(allParts, sessionParts)}
}

// mayCheck waits until there is room for the arguments of a run. The wait is part of
// the run's time.
func (s *Server) mayCheck(ctx context.Context, of *session, limits runtime.Limits, inputs []byte) (*taken, error) {
	parts := partsOf(inputs)
	if parts == 0 {
		return nil, nil //nolint:nilnil // nothing is taken
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limits.Timeout, errBusy)
	defer cancel()
	return s.answers.parts.take(ctx, of.claimant, parts, nil)
}

// value is where the value of one run has its place.
type value struct {
	in    *room
	of    claimant
	taken *taken
}

// take is for [runtime.Request.Room].
func (v *value) take(ctx context.Context, size int64) (err error) {
	v.taken, err = v.in.take(ctx, v.of, size, nil)
	return err
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

var errBusy = errors.New("the arguments of other calls take all the room that there is; call again when some have been checked")

// mayWrite waits until an answer of so many bytes may be encoded and written. It is
// held by the message that is answered, and in a batch it does not wait: the
// others there are held until all are written.
func (s *Server) mayWrite(ctx context.Context, of *session, extra *mcp.RequestExtra, size int64) error {
	p := s.callers.post(extra)
	if p == nil || size == 0 {
		return nil // nobody hears it, or it is short
	}
	claimant := claimant{client: p.from}
	if of != nil {
		claimant = of.claimant
	}
	t := s.answers.written.try(claimant, size, p.cut) // also for a call that was cancelled when it was done
	if t == nil && p.batch {
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the answers of this batch are too large together; ask one by one"}
	}
	if t == nil {
		var err error
		if t, err = s.answers.written.take(ctx, claimant, size, p.cut); err != nil {
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
