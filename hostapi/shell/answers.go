package shell

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/internal/presets"
)

// answerAge is how long a tool's answer about its hosts, or its failure to answer, is
// used for new boxes. A box keeps the answer that it was opened with.
const answerAge = time.Minute

// answers are what the tools of presets said. All who wait at the same time share one
// question, which ends when the last of them gives up.
type answers struct {
	life   context.Context // ends what is asked
	asking sync.WaitGroup

	mu  sync.Mutex
	all map[string]*said
}

// said is an answer, or a question that is still open.
type said struct {
	done  chan struct{} // closed when found, err and at are set
	found presets.Preset
	err   error
	at    time.Time

	waiting int // guarded by the answers
	stop    context.CancelFunc
	left    bool // all who waited gave up before it came
}

// impatientError is a tool that did not answer within the time of those who asked.
type impatientError struct{ preset string }

// Error implements error.
func (e *impatientError) Error() string {
	return fmt.Sprintf("preset:%s: its tool did not name its hosts within the time of the command that needs them", e.preset)
}

// find asks a machine, which key identifies, for a preset. With anew it asks again
// where those who asked before gave up.
func (a *answers) find(ctx context.Context, machine presets.Machine, name, key string, anew bool) (presets.Preset, error) {
	key = name + "\x00" + key
	a.mu.Lock()
	s := a.all[key]
	if s != nil && closed(s.done) && time.Since(s.at) > answerAge || s != nil && s.left && anew {
		s = nil
	}
	if s == nil {
		s = a.ask(machine, name) //nolint:contextcheck // others may wait for it, too
		if a.all == nil || len(a.all) >= mostHouseholds {
			a.all = map[string]*said{}
		}
		a.all[key] = s
	}
	s.waiting++
	a.mu.Unlock()
	defer a.leave(s)
	select {
	case <-s.done:
		return s.found, s.err
	case <-ctx.Done():
		return presets.Preset{}, fmt.Errorf("%w (%w)", &impatientError{name}, context.Cause(ctx))
	}
}

func (a *answers) ask(machine presets.Machine, name string) *said {
	ctx, stop := context.WithCancel(a.life)
	s := &said{done: make(chan struct{}), stop: stop}
	a.asking.Go(func() {
		defer stop()
		s.found, s.err = machine.Find(ctx, name)
		if ctx.Err() != nil {
			s.err = &impatientError{name}
		}
		s.at = time.Now()
		close(s.done)
	})
	return s
}

// leave ends the question when nobody waits any more.
func (a *answers) leave(s *said) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s.waiting--; s.waiting == 0 && !closed(s.done) {
		s.left = true
		s.stop()
	}
}

// closed reports whether a channel is closed.
func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// machineKey identifies a machine for [answers.find].
func machineKey(path, home string, avoid []string) string {
	return path + "\x00" + home + "\x00" + strings.Join(avoid, "\x00")
}
