package serve

import (
	"context"
	"encoding/json"
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
// held by the message that is answered, and in a batch only the first answer waits: the
// others there are held until all are written.
func (s *Server) mayWrite(ctx context.Context, of *session, extra *mcp.RequestExtra, size int64) error {
	p := s.callers.post(extra)
	switch {
	case size == 0 || p == nil && (extra == nil || extra.Header.Get(requestHeader) == ""):
		return nil // it is short, or goes another way
	case p == nil || p.ctx.Err() != nil:
		return errVanished // nobody hears it
	}
	claimant := claimant{client: p.from}
	if of != nil {
		claimant = of.claimant
	}
	t := s.answers.written.try(claimant, size, p.cutter()) // also for a call that was cancelled when it was done
	if t == nil && p.batch && (p.holds() || p.waited.Swap(true)) {
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the answers of this batch are too large together; ask one by one"}
	}
	if t == nil {
		ctx, done := during(ctx, p.ctx)
		defer done()
		var err error
		if t, err = s.answers.written.take(ctx, claimant, size, p.cutter()); err != nil {
			return err
		}
	}
	if !p.hold(t) {
		return errVanished // meanwhile
	}
	return nil
}

// answerSize is about how many bytes a result has on its way.
func answerSize(result *mcp.CallToolResult) (size int64) {
	for _, content := range result.Content {
		if text, ok := content.(*mcp.TextContent); ok {
			size += asWritten(text.Text)
		}
	}
	if value, ok := result.StructuredContent.(json.RawMessage); ok {
		size += int64(len(value))
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
	kept int // answers that are encoded, and may be said again
	over bool
}

// keep is for an answer that has been encoded.
func (o *owed) keep() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.kept++
}

// encoded reports whether as many answers have been as hold something.
func (o *owed) encoded() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.kept >= len(o.all)
}

// answers is how many have been.
func (o *owed) answers() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.kept
}

// hold reports whether the message is still to be answered.
func (o *owed) hold(t *taken) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.over {
		t.shrink(0)
		return false
	}
	o.all = append(o.all, t)
	return true
}

func (o *owed) holds() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.all) > 0
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
