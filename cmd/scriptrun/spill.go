package main

import (
	"context"
	"os"
	"path/filepath"
	"time"
)

// keepSpilled is how long the whole outputs of runs are kept.
const keepSpilled = 7 * 24 * time.Hour

// spillDir is where outputs go that are too large for a report: a folder a run
// in the user's state folder. It is empty, and nothing is kept, where the user
// has no home.
func spillDir() string { return userFolder("XDG_STATE_HOME", ".local/state", "runs") }

// sweepSpilled removes such folders now and then, until ctx ends: a server may
// live for long.
func sweepSpilled(ctx context.Context, dir string) {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			dropSpilled(dir, now)
		}
	}
}

const sweepEvery = 10 * time.Minute

// swept is a file beside the folders that is as old as their last sweep. A
// short run must not look at the folders of all that were before.
const swept = ".swept"

// dropSpilled removes the folders of runs that ended long ago, unless that was
// done a moment ago. What it cannot remove is tried again by a later run.
func dropSpilled(dir string, now time.Time) {
	stamp := filepath.Join(dir, swept)
	if info, err := os.Stat(stamp); err == nil && now.Sub(info.ModTime()).Abs() < sweepEvery {
		return
	}
	runs, err := os.ReadDir(dir)
	if err != nil {
		return // nothing was spilled yet
	}
	for _, run := range runs {
		info, err := run.Info()
		if err == nil && run.IsDir() && now.Sub(info.ModTime()) > keepSpilled {
			_ = os.RemoveAll(filepath.Join(dir, run.Name()))
		}
	}
	if os.WriteFile(stamp, nil, 0o600) == nil {
		_ = os.Chtimes(stamp, now, now) // else the file is of now all the same
	}
}
