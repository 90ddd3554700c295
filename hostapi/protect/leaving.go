package protect

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// leaving are the visits that end, in the order in which they came.
type leaving struct {
	mu     sync.Mutex
	visits []*Visit
}

func (l *leaving) add(v *Visit) {
	l.mu.Lock()
	defer l.mu.Unlock()
	v.left = make(chan struct{})
	l.visits = append(l.visits, v)
}

func (l *leaving) take() []*Visit {
	l.mu.Lock()
	defer l.mu.Unlock()
	visits := l.visits
	l.visits = nil
	return visits
}

// Leave notes that the command has ended, and returns what was put away of the files that it or
// others left. It takes at most some seconds, and as many for each command that enters at that
// time, even if the command's context has ended. Commands that leave at the same time share one
// sweep, and the first of them hears of all that it put away.
func (v *Visit) Leave() []Away {
	g := v.guard
	g.leaving.add(v)
	select {
	case g.turn <- struct{}{}:
		defer g.free()
		g.leave(g.leaving.take())
	case <-v.left:
	}
	return v.came
}

// leave ends visits whose commands had ended before. It is none if others were quicker.
func (g *Guard) leave(visits []*Visit) {
	if len(visits) == 0 {
		return
	}
	swept, done := g.sweep(context.Background(), g.running == len(visits))
	if !done {
		swept = append(swept, Away{
			Path: g.beyond(), Reason: "there may be more in it that runs by itself",
			Kept: true, Err: fmt.Errorf("%w in %v", errEffort, g.most),
		})
	}
	first := visits[0]
	first.came = slices.Concat(first.came, g.untold, swept)
	g.untold = nil
	if g.running -= len(visits); g.running == 0 {
		g.here.leave()
	}
	for _, v := range visits {
		close(v.left)
	}
}
