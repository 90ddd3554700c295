package realm

import (
	cryptorand "crypto/rand"
	"encoding/binary"
	"math/rand/v2"
	"time"
)

// clock is the script's clock: the machine's, or one that was set. A set clock moves only to
// the times at which timers are due, so that what a script reads does not depend on how long
// it takes.
type clock struct {
	set   time.Time // zero for the machine's clock
	moved time.Duration
	began time.Time // when the run began, by the machine's clock
}

// elapsed is the time since the run began.
func (c *clock) elapsed() time.Duration {
	if c.set.IsZero() {
		return time.Since(c.began)
	}
	return c.moved
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
		r.timers.clock = clock{set: r.start.Now.Local(), began: r.timers.clock.began}
		r.vm.SetTimeSource(r.timers.clock.now)
	}
	if r.start.Seed != 0 {
		random := rand.NewPCG(r.start.Seed, 0)
		r.bytes = rand.NewChaCha8(chachaSeed(r.start.Seed))
		r.vm.SetRandSource(func() float64 { return float64(random.Uint64()>>11) / (1 << 53) })
	}
}

// random fills bytes with random ones: of the machine, or of a seed, which are then others
// than those of Math.random, so that the two do not depend on each other.
func (r *Realm) random(into []byte) {
	if r.bytes == nil {
		_, _ = cryptorand.Read(into) // it never fails
		return
	}
	_, _ = r.bytes.Read(into) // likewise
}

func chachaSeed(seed uint64) (key [32]byte) {
	binary.LittleEndian.PutUint64(key[:], seed)
	return key
}
