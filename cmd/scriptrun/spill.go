package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// keepSpilled is how long the whole outputs of runs are kept, and mostSpilled how many
// bytes of them.
const (
	keepSpilled = 7 * 24 * time.Hour
	mostSpilled = 4 << 30
)

// spillDir is the folder for outputs that are too large for a report, with a folder for
// each run. If the user has no home it is empty, and nothing is kept.
func spillDir() string { return userFolder("XDG_STATE_HOME", ".local/state", "runs") }

// sweepSpilled removes such folders now and then, until ctx ends: a server may live
// long and run much.
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

// swept is a file beside the folders whose time is that of their last sweep, so that a
// short run need not read the folders of all earlier runs.
const swept = ".swept"

// dropSpilled removes the folders of runs that ended long ago, and the oldest beyond
// mostSpilled, unless that was done a moment ago. A later run tries again what it
// cannot remove.
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
		_ = os.Chtimes(stamp, now, now) // if it fails, the file has the current time anyway
	}
}

// dropLargest removes the folders of the oldest runs until the rest holds no more than
// most bytes. The newest stays: its run may go on, and is bounded by itself.
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

// spilledRuns are the folders that exist.
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
