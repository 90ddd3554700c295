package protect

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Bounds of one look, whatever lies in the workspace.
const (
	// mostSteps is what a look at names costs at most: one and more for each
	// name, by its length. Some thousand repositories fit.
	mostSteps = 500_000
	// mostIndexBytes is how much is read of indexes.
	mostIndexBytes = 128 << 20
	// mostTime is how long it takes, unless a guard is told otherwise.
	mostTime = 5 * time.Second
	// linkHops and linkSteps bound how one symbolic link is followed.
	linkHops  = 40
	linkSteps = 1000
)

var errEffort = errors.New("there is more than is looked at")

// effort is what is left of the bounds of a look.
type effort struct {
	ctx         context.Context
	until       time.Time
	steps       int
	bytes       int64
	listed      int    // what is left for lists of repositories' own folders
	interrupted bool   // by time or its context, so that the look says nothing of what it did not reach
	at          string // where it was then
}

func newEffort(ctx context.Context, most time.Duration) *effort {
	return &effort{ctx: ctx, until: time.Now().Add(most), steps: mostSteps, bytes: mostIndexBytes, listed: mostListed}
}

// withinTime is a context that ends after some time for those who look at it. Nobody waits
// for that, so that no timer runs, which each command would pay for.
func withinTime(ctx context.Context, most time.Duration) context.Context {
	return by{ctx, time.Now().Add(most)}
}

type by struct {
	context.Context
	until time.Time
}

// Err implements [context.Context].
func (b by) Err() error {
	if err := b.Context.Err(); err != nil || !time.Now().After(b.until) {
		return err
	}
	return context.DeadlineExceeded
}

// step takes what looking at a name costs; false is to look no further.
func (e *effort) step(path string) bool {
	if e.interrupted || e.steps <= 0 {
		return false
	}
	e.steps -= 1 + len(path)/64
	return e.steps%64 >= 2 || e.inTimeAt(path)
}

func (e *effort) inTime() bool {
	if e.ctx.Err() != nil || time.Now().After(e.until) {
		e.interrupted = true
	}
	return !e.interrupted
}

// inTimeAt is inTime, and notes where it was at.
func (e *effort) inTimeAt(path string) bool {
	if !e.interrupted && !e.inTime() {
		e.at = path
	}
	return !e.interrupted
}

// hop is a name on the way that a path goes.
type hop struct {
	path string // of the name, absolute, with no link before it
	info os.FileInfo
	link string // where it leads, for a symbolic link
	last bool   // nothing comes after it
}

// walk goes along an absolute path, name by name and with symbolic links followed, as
// far as that takes few steps, and tells of each name that is there. It returns where
// it arrived; or the name where it stopped, what was to come after it, and why.
func (e *effort) walk(path string, on func(hop)) (to string, rest []string, err error) {
	at := string(filepath.Separator)
	rest = strings.Split(filepath.ToSlash(path), "/")
	for links, n := 0, 0; len(rest) > 0; n++ {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		h := hop{path: filepath.Join(at, name), last: len(rest) == 0}
		if n >= linkSteps || !e.step(h.path) {
			return h.path, rest, errEffort
		}
		if h.info, err = os.Lstat(h.path); err != nil {
			return h.path, rest, err
		}
		if h.info.Mode()&os.ModeSymlink == 0 {
			on(h)
			at = h.path
			continue
		}
		h.link, err = os.Readlink(h.path)
		if links++; err != nil || links > linkHops {
			return h.path, rest, errors.Join(err, errEffort)
		}
		on(h)
		if filepath.IsAbs(h.link) {
			at = string(filepath.Separator)
		}
		rest = append(strings.Split(h.link, "/"), rest...)
	}
	return at, nil, nil
}

// resolve is a path with symbolic links followed, as far as that takes few steps.
func (e *effort) resolve(path string) (string, error) {
	if filepath.VolumeName(path) != "" { // a system where commands are not confined
		return filepath.EvalSymlinks(path)
	}
	to, _, err := e.walk(path, func(hop) {})
	if err != nil {
		return "", err
	}
	return to, nil
}
