package scripttools

import (
	"sync"
	"time"
)

// budget is the time in which the scripts of a directory are checked. What they import adds to it,
// and so does, within bounds, the time in which a check got too little of a processor.
type budget struct {
	mu    sync.Mutex
	most  time.Duration
	spare time.Duration // what starved may still add
	begun time.Time
	timer *time.Timer
}

// busy is how many times as long as on a machine that does nothing else checks may take.
const busy = 4

// newBudget calls spent once the time is over, with how much it was.
func newBudget(most time.Duration, spent func(most time.Duration)) *budget {
	b := &budget{most: most, spare: (busy - 1) * most, begun: time.Now()}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.timer = time.AfterFunc(most, func() {
		b.mu.Lock()
		most := b.most
		b.mu.Unlock()
		spent(most)
	})
	return b
}

func (b *budget) stop() { b.timer.Stop() }

// importing is a reader of imports that adds to the budget what a check has for them, twice: the
// check of a script that takes long begins again.
func (b *budget) importing(read func(path string) ([]byte, error)) func(path string) ([]byte, error) {
	return func(path string) ([]byte, error) {
		raw, err := read(path)
		if err == nil {
			b.add(2 * (time.Millisecond + time.Duration(len(raw))*time.Second>>20))
		}
		return raw, err
	}
}

// starved gives back the time of a check that got too little of a processor. It reports whether there was so much.
func (b *budget) starved(took time.Duration) bool {
	b.mu.Lock()
	given := min(took, b.spare)
	b.spare -= given
	b.mu.Unlock()
	b.add(given)
	return given == took
}

func (b *budget) add(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.timer.Stop() { // otherwise it is over
		b.most += d
		b.timer.Reset(time.Until(b.begun.Add(b.most)))
	}
}
