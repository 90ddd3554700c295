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
	// mostTime is how long it takes.
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
	interrupted bool // by time or its context, so that the look says nothing of what it did not reach
}

func newEffort(ctx context.Context) *effort {
	return &effort{ctx: ctx, until: time.Now().Add(mostTime), steps: mostSteps, bytes: mostIndexBytes}
}

// step takes what looking at a name costs; false is to look no further.
func (e *effort) step(path string) bool {
	if e.interrupted || e.steps <= 0 {
		return false
	}
	e.steps -= 1 + len(path)/64
	if e.steps%64 < 2 {
		return e.inTime()
	}
	return true
}

func (e *effort) inTime() bool {
	if e.ctx.Err() != nil || time.Now().After(e.until) {
		e.interrupted = true
	}
	return !e.interrupted
}

// resolve is a path with symbolic links followed, as far as that takes few steps.
func (e *effort) resolve(path string) (string, error) {
	rest, at := strings.Split(filepath.ToSlash(path), "/"), filepath.VolumeName(path)+string(filepath.Separator)
	if at != string(filepath.Separator) { // a system where commands are not confined
		return filepath.EvalSymlinks(path)
	}
	links := 0
	for n := 0; len(rest) > 0; n++ {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name)
		if n >= linkSteps || !e.step(next) {
			return "", errEffort
		}
		info, err := os.Lstat(next)
		if err != nil {
			return "", err
		}
		if info.Mode()&os.ModeSymlink == 0 {
			at = next
			continue
		}
		to, err := os.Readlink(next)
		if links++; err != nil || links > linkHops {
			return "", errors.Join(err, errEffort)
		}
		if filepath.IsAbs(to) {
			at = string(filepath.Separator)
		}
		rest = append(strings.Split(to, "/"), rest...)
	}
	return at, nil
}
