package shell

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/internal/presets"
)

// answerAge is how long it counts what a tool said of its hosts, or why it said
// nothing. A box that was opened with it keeps it for longer.
const answerAge = time.Minute

// answers are what the tools of presets said. Each is asked once for all who want to
// know, and no longer than one of them still does.
type answers struct {
	life   context.Context // ends what is asked
	asking sync.WaitGroup

	mu  sync.Mutex
	all map[string]*said
}

// said is an answer, or will be.
type said struct {
	done  chan struct{} // closed when the others are there
	found presets.Preset
	err   error
	at    time.Time

	waiting int // guarded by the answers
	stop    context.CancelFunc
	left    bool // by all who waited, before it came
}

// impatientError is a tool that did not answer before whoever asked went away.
type impatientError struct{ preset string }

// Error implements error.
func (e *impatientError) Error() string {
	return fmt.Sprintf("preset:%s: the hosts were not found out within the time of the command that needed them", e.preset)
}

// find asks a machine for a preset, which is told from others by key. With anew it
// asks again where somebody had no time to hear the end.
func (a *answers) find(ctx context.Context, machine presets.Machine, name, key string, anew bool) (presets.Preset, error) {
	key = name + "\x00" + key
	a.mu.Lock()
	s := a.all[key]
	if s != nil && s.over() && time.Since(s.at) > answerAge || s != nil && s.left && anew {
		s = nil
	}
	if s == nil {
		s = a.ask(machine, name) //nolint:contextcheck // it goes on for others who want to know
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

// leave ends the asking when nobody wants to know any more.
func (a *answers) leave(s *said) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s.waiting--; s.waiting == 0 && !s.over() {
		s.left = true
		s.stop()
	}
}

func (s *said) over() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// machineKey tells apart whom the tools of presets are asked for.
func machineKey(path, home string, avoid []string) string {
	return path + "\x00" + home + "\x00" + strings.Join(avoid, "\x00")
}
