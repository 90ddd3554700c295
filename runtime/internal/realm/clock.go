package realm

import (
	"math/rand/v2"
	"time"
)

// clock is the script's: the machine's, or one that was set. That one stands still
// while the script computes, and a timer moves it to when it is due, so that what a
// script reads depends on what it does and not on how long that takes.
type clock struct {
	set   time.Time // zero for the machine's
	moved time.Duration
}

func (c *clock) now() time.Time {
	if c.set.IsZero() {
		return time.Now()
	}
	return c.set.Add(c.moved)
}

// move tells the clock that a timer is due.
func (c *clock) move(due time.Time) {
	if !c.set.IsZero() {
		c.moved = due.Sub(c.set)
	}
}

// replay gives the script the time and the random numbers that a start asks for.
func (r *Realm) replay() {
	if !r.start.Now.IsZero() {
		r.timers.clock = clock{set: r.start.Now.Local()}
		r.vm.SetTimeSource(r.timers.clock.now)
	}
	if r.start.Seed != 0 {
		random := rand.NewPCG(r.start.Seed, 0)
		r.vm.SetRandSource(func() float64 { return float64(random.Uint64()>>11) / (1 << 53) })
	}
}
