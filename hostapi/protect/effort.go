package protect

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// The bounds of one look, whatever lies in the workspace.
const (
	// mostSteps bounds the cost of looking at names: at least one for each, more for long
	// paths. Some thousand repositories fit.
	mostSteps = 500_000
	// mostIndexBytes bounds the bytes read from indexes.
	mostIndexBytes = 128 << 20
	// mostTime bounds its time, unless a guard sets another.
	mostTime = 5 * time.Second
	// linkHops and linkSteps bound how far one symbolic link is followed.
	linkHops  = 40
	linkSteps = 1000
)

var errEffort = errors.New("there is more than can be checked")

// effort is what is left of a look's bounds.
type effort struct {
	ctx         context.Context
	until       time.Time
	steps       int
	bytes       int64
	listed      int    // what is left to list repositories' own folders
	interrupted bool   // its time or context ended, so that it did not reach everything
	at          string // the path at which it was then
}

func newEffort(ctx context.Context, most time.Duration) *effort {
	return &effort{ctx: ctx, until: time.Now().Add(most), steps: mostSteps, bytes: mostIndexBytes, listed: mostListed}
}

// withinTime is a context whose Err reports a deadline. Its Done does not, so that no timer
// runs, which each command would pay for.
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

// step pays for looking at a name; false means to stop.
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

// inTimeAt is inTime, and notes the path where the time ended.
func (e *effort) inTimeAt(path string) bool {
	if !e.interrupted && !e.inTime() {
		e.at = path
	}
	return !e.interrupted
}

// hop is a name on the way of a path.
type hop struct {
	path string // of the name, absolute, with no link before it
	info os.FileInfo
	link string // the target, for a symbolic link
	last bool   // nothing comes after it
}

// walk follows an absolute path name by name, with symbolic links followed as far as the bounds
// allow, and calls on for each name that exists. It returns where it arrived, or else the name
// at which it stopped, the names that were left, and why.
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
			at = filepath.Join(at, name)
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

// resolve is a path with symbolic links followed, as far as the bounds allow.
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
