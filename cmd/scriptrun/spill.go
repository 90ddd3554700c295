package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// How long the whole outputs of runs are kept, and how much of them.
const (
	keepSpilled = 7 * 24 * time.Hour
	mostSpilled = 4 << 30
)

// spillDir is where outputs go that are too large for a report: a folder a run
// in the user's state folder. It is empty, and nothing is kept, where the user
// has no home.
func spillDir() string { return userFolder("XDG_STATE_HOME", ".local/state", "runs") }

// sweepSpilled removes such folders now and then, until ctx ends: a server may
// live for long, and be asked for much.
func sweepSpilled(ctx context.Context, dir string) {
	ticker := time.NewTicker(weighEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			dropSpilled(dir, now)
			dropLargest(dir, mostSpilled)
		}
	}
}

const (
	sweepEvery = 10 * time.Minute
	weighEvery = 5 * time.Second
)

// swept is a file beside the folders that is as old as their last sweep. A
// short run must not look at the folders of all that were before.
const swept = ".swept"

// dropSpilled removes the folders of runs that ended long ago, and the oldest
// beyond what is kept, unless that was done a moment ago. What it cannot remove
// is tried again by a later run.
func dropSpilled(dir string, now time.Time) {
	stamp := filepath.Join(dir, swept)
	if info, err := os.Stat(stamp); err == nil && now.Sub(info.ModTime()).Abs() < sweepEvery {
		return
	}
	for _, run := range spilledRuns(dir) {
		if now.Sub(run.changed) > keepSpilled {
			_ = os.RemoveAll(run.path)
		}
	}
	dropLargest(dir, mostSpilled)
	if _, err := os.Stat(dir); err == nil && os.WriteFile(stamp, nil, 0o600) == nil {
		_ = os.Chtimes(stamp, now, now) // else the file is of now all the same
	}
}

// dropLargest removes the folders of the oldest runs until the rest holds no more
// than most. The newest stays: it may be of a run that goes on, and is bounded
// by itself.
func dropLargest(dir string, most int64) {
	runs := spilledRuns(dir)
	slices.SortFunc(runs, func(a, b spilledRun) int { return b.changed.Compare(a.changed) })
	var held int64
	for i, run := range runs {
		if held += run.size; held > most && i > 0 {
			_ = os.RemoveAll(run.path)
		}
	}
}

// spilledRun is the folder of a run.
type spilledRun struct {
	path    string
	changed time.Time
	size    int64
}

// spilledRuns are those that there are; none where nothing was spilled yet.
func spilledRuns(dir string) (runs []spilledRun) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || !entry.IsDir() {
			continue
		}
		run := spilledRun{path: filepath.Join(dir, entry.Name()), changed: info.ModTime()}
		files, _ := os.ReadDir(run.path) // it may be gone
		for _, file := range files {
			if info, err := file.Info(); err == nil {
				run.size += info.Size()
			}
		}
		runs = append(runs, run)
	}
	return runs
}
