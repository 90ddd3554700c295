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

	running map[int]time.Time // until when each check that is running should have ended
	started int
}

// busy is how many times as long as on a machine that does nothing else checks may take.
const busy = 10

// newBudget calls spent once the time is over, with how much it was.
func newBudget(most time.Duration, spent func(most time.Duration)) *budget {
	b := &budget{most: most, spare: (busy - 1) * most, begun: time.Now(), running: map[int]time.Time{}}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.timer = time.AfterFunc(most, func() {
		if most, over := b.over(); over {
			spent(most)
		}
	})
	return b
}

// over reports whether the time is over. A check that is running for longer than it may compute gets too
// little of a processor: then there is more time.
func (b *budget) over() (most time.Duration, over bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	more := min(perFile, b.spare)
	if now := time.Now(); more > 0 {
		for _, until := range b.running {
			if now.After(until) {
				b.spare -= more
				b.most += more
				b.timer.Reset(more)
				return b.most, false
			}
		}
	}
	return b.most, true
}

// run counts a check that may compute for so long, until ended is called.
func (b *budget) run(most time.Duration) (ended func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.started++
	which := b.started
	b.running[which] = time.Now().Add(most)
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.running, which)
	}
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
