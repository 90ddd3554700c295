package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/scriptrun/scriptrun/hostapi/upward"
)

const (
	// settle is how long files must stay unchanged before they are read: an editor
	// writes in several steps.
	settle = 100 * time.Millisecond
	// patience is how long changes can delay the reading at most.
	patience = 2 * time.Second
	// poll is how often folders are checked if the system does not report changes.
	poll = time.Second
)

// Watch calls changed after files in folders have changed, once for changes that come
// together, until ctx ends. It calls folders again each time, and once more as soon as
// it watches them. A folder may be missing, and come. If the system does not report
// changes, Watch calls fallback once with the reason, and from then on checks every
// second. changed and fallback run on this goroutine.
func Watch(ctx context.Context, folders func() []string, changed func(), fallback func(error)) {
	w := &watch{folders: folders, changed: changed}
	err := w.notified(ctx)
	if ctx.Err() != nil {
		return
	}
	fallback(err)
	w.polled(ctx)
}

type watch struct {
	folders func() []string
	changed func()
}

// notified waits for reports of the system; it returns if there can be none.
func (w *watch) notified(ctx context.Context) error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	defer func() { _ = watcher.Close() }() // it never fails
	var seen stamps
	for {
		// The system may not report what changes before a folder is watched.
		folders := w.folders()
		watched := make([]string, len(folders))
		for i, folder := range folders {
			if watched[i], err = add(watcher, folder); err != nil {
				return fmt.Errorf("watch %s: %w", watched[i], err)
			}
		}
		for _, old := range watcher.WatchList() {
			if !slices.Contains(watched, old) {
				_ = watcher.Remove(old) // it may be gone
			}
		}
		now, first := look(folders), seen == nil
		same := first || slices.Equal(now, seen)
		seen = now
		if !same {
			w.changed()
		}
		if first || !same {
			continue
		}
		if err := wait(ctx, watcher); err != nil {
			return err
		}
	}
}

// add watches a folder, or the one in which it would be made.
func add(watcher *fsnotify.Watcher, folder string) (watched string, err error) {
	for watched = range upward.From(folder) {
		if err = watcher.Add(watched); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return watched, err
}

// wait returns when something has changed and then nothing for settle, or at the latest
// after patience.
func wait(ctx context.Context, watcher *fsnotify.Watcher) error {
	var quiet, enough <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-watcher.Errors:
			if !errors.Is(err, fsnotify.ErrEventOverflow) { // there were more changes than the system could tell of
				return err
			}
			quiet = time.After(settle)
		case event := <-watcher.Events:
			if event.Op == fsnotify.Chmod {
				continue
			}
			quiet = time.After(settle)
			if enough == nil {
				enough = time.After(patience)
			}
		case <-quiet:
			return nil
		case <-enough:
			return nil
		}
	}
}

func (w *watch) polled(ctx context.Context) {
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	seen := look(w.folders())
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if now := look(w.folders()); !slices.Equal(now, seen) {
				seen = now
				w.changed()
			}
		}
	}
}

// stamps show which files have changed, and which folders there are.
type stamps []stamp

type stamp struct {
	path  string
	size  int64
	moved time.Time
}

func look(folders []string) stamps {
	found := stamps{}
	for _, folder := range folders {
		entries, err := os.ReadDir(folder) // loading says what cannot be read
		if err == nil {
			found = append(found, stamp{path: folder})
		}
		for _, entry := range entries {
			s := stamp{path: filepath.Join(folder, entry.Name())}
			if !entry.IsDir() {
				info, err := entry.Info()
				if err != nil {
					continue
				}
				s.size, s.moved = info.Size(), info.ModTime()
			}
			found = append(found, s)
		}
	}
	return found
}
