package serve

import (
	"context"
	"errors"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/runtime"
)

// answers are where results have their places: of runs, for as much as each may
// return, until it has; and of what is written, until it is. An answer holds its
// text several times while it is encoded. What is written waits for nothing but
// its client.
type answers struct{ returned, written *room }

const (
	defaultSessionAnswers = 64 << 20
	defaultAnswers        = 256 << 20
)

func newAnswers(most int64) answers { return answers{newRoom(most), newRoom(most / 2)} }

// mayReturn waits until there is room for what a run may return. The wait is part
// of the run's time.
func (s *Server) mayReturn(ctx context.Context, of *session, limits runtime.Limits) (*taken, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limits.Timeout, errBusy)
	defer cancel()
	return rooms{of.answers.returned, s.answers.returned}.take(ctx, limits.MaxOutputBytes)
}

var errBusy = errors.New("the results of other calls take all the room that there is; call again when some have been answered")

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
	size = int64(len(report.Text))
	if isObject(report.Value) {
		size += int64(len(report.Value))
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
