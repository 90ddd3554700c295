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

// answers limits the memory that results take. A value has room in returned from when
// it leaves its worker until its answer is made, and in written from then until the
// answer is written: encoding holds the text several times. Values wait for room in
// written, which waits only for clients; a client that does not read is cut off when
// others wait.
//
// Arguments with many parts take much more memory than their text while they are
// checked. They have room in parts until then.
type answers struct{ returned, written, parts *room }

const (
	defaultSessionAnswers = 64 << 20
	defaultAnswers        = 256 << 20
	// sessionParts and allParts limit the parts of the large arguments that are checked
	// at once, per session and in all.
	sessionParts = 2 * schema.MaxParts
	allParts     = 4 * schema.MaxParts
	// fewParts is the size in bytes up to which the parts of arguments are not counted.
	fewParts = 8 << 10
)

func newAnswers(most, mostOfSession int64) answers {
	return answers{newRoom(most, mostOfSession), newRoom(most/2, mostOfSession/2), newRoom(allParts, sessionParts)}
}

// mayCheck waits for room to check the arguments of a run. The wait counts toward the
// run's time.
func (s *Server) mayCheck(ctx context.Context, of *session, limits runtime.Limits, inputs []byte) (*taken, error) {
	parts := partsOf(inputs)
	if parts == 0 {
		return nil, nil //nolint:nilnil // nothing is taken
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limits.Timeout, errBusy)
	defer cancel()
	return s.answers.parts.take(ctx, of.claimant, parts, nil)
}

// value holds the room of one run's value.
type value struct {
	in    *room
	of    claimant
	taken *taken
}

// take is the [runtime.Request.Room] of the run.
func (v *value) take(ctx context.Context, size int64) (err error) {
	v.taken, err = v.in.take(ctx, v.of, size, nil)
	return err
}

// partsOf counts the parts of a JSON text; 0 means too few to matter.
func partsOf(inputs []byte) int64 {
	if len(inputs) <= fewParts {
		return 0
	}
	m := jsonbound.Scan(inputs)
	for m.Next() { //nolint:revive // it counts
	}
	return int64(m.Parts)
}

var errBusy = errors.New("the arguments of other calls take all the memory for checking arguments; call again later")

// mayWrite waits until an answer of size bytes may be encoded and written. The message
// that is answered holds the room. In a batch only the first answer waits, because the
// others are held until all are written.
func (s *Server) mayWrite(ctx context.Context, of *session, extra *mcp.RequestExtra, size int64) error {
	p := s.callers.post(extra)
	switch {
	case size == 0 || p == nil && (extra == nil || extra.Header.Get(requestHeader) == ""):
		return nil // it is empty, or its transport is not ours
	case p == nil || p.ctx.Err() != nil:
		return errVanished
	}
	claimant := claimant{client: p.from}
	if of != nil {
		claimant = of.claimant
	}
	t := s.answers.written.try(claimant, size, p.cutter()) // even if the call was cancelled after it was done
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

// answerSize estimates the bytes of a result while it is encoded and written.
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

// asWritten is the length of a text as a JSON string: a control character takes six
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

// owed is the room that the answers to one message hold until they are written.
type owed struct {
	mu   sync.Mutex
	all  []*taken
	kept int // answers that are encoded and kept for replay
	over bool
}

// keep counts an answer that has been encoded.
func (o *owed) keep() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.kept++
}

// encoded reports whether as many answers have been encoded as hold room.
func (o *owed) encoded() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.kept >= len(o.all)
}

// answers counts those that have been encoded.
func (o *owed) answers() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.kept
}

// hold keeps room for the message, or gives it back and reports false if the message
// needs no answer any more.
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
