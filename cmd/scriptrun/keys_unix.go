//go:build unix

package main

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// keyWait is how often ask checks whether the run goes on, in milliseconds.
const keyWait = 50

// ask shows a question on the terminal and, once keys count, the choices. From then on
// it passes each key to answer, until that returns true; a key that is held counts
// once. Meanwhile Ctrl-C is a key like any other. Nobody reads between questions: the
// next one drops what was typed.
func (k *keys) ask(ctx context.Context, show, ready func(), answer func(key byte) (over bool)) error {
	fd := int(k.in.Fd())
	before, err := term.MakeRaw(fd)
	if err != nil {
		return err
	}
	defer func() { _ = term.Restore(fd, before) }()
	flushInput(k.in)
	show()
	shown, taken := time.Now(), false
	for {
		if !taken && time.Since(shown) >= readTime {
			taken = true
			ready()
		}
		ready := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(ready, keyWait)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, unix.EINTR), err == nil && n == 0:
			continue
		case err != nil:
			return err
		}
		var one [1]byte
		if n, err := unix.Read(fd, one[:]); err != nil || n == 0 {
			return errors.Join(os.ErrClosed, err)
		}
		before := k.last
		k.last = tap{key: one[0], at: time.Now()}
		if taken && !k.last.repeats(before) && answer(one[0]) {
			return nil
		}
	}
}
