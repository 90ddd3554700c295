package realm

import (
	"math/rand/v2"
	"time"
)

// clock is the script's clock: the machine's, or one that was set. A set clock moves only to
// the times at which timers are due, so that what a script reads does not depend on how long
// it takes.
type clock struct {
	set   time.Time // zero for the machine's clock
	moved time.Duration
}

func (c *clock) now() time.Time {
	if c.set.IsZero() {
		return time.Now()
	}
	return c.set.Add(c.moved)
}

// move sets the clock to the time of a timer that is due.
func (c *clock) move(due time.Time) {
	if !c.set.IsZero() {
		c.moved = due.Sub(c.set)
	}
}

// replay sets the clock and the random numbers that the start frame asks for.
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
