package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// Sink is where entries go. It must be safe for concurrent use; an error says that the
// entry was not written.
type Sink func(ctx context.Context, entry Entry) error

// Writer writes lines of JSON, each with one Write.
func Writer(w io.Writer) Sink {
	var mu sync.Mutex
	return func(_ context.Context, entry Entry) error {
		line, err := entry.Line()
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		_, err = w.Write(line)
		return err
	}
}

// File appends lines of JSON to a file, each with one write: several processes may have
// the same one. It is made, for its owner alone, with the folders that it lies in, and
// opened for each line, so that one that was moved away is made anew. A link in its place
// is refused, and so is what may keep a writer waiting, such as a pipe. What was written is
// the system's to keep: nothing waits for the disk.
func File(path string) Sink {
	f := &file{path: path}
	return func(_ context.Context, entry Entry) error { return f.append(entry) }
}

// Create makes the file of [File], so that it can be protected before anything runs.
func Create(path string) error {
	to, err := (&file{path: path}).open()
	if err != nil {
		return err
	}
	return to.Close()
}

type file struct {
	path string

	mu   sync.Mutex
	torn bool // the last line is not whole
}

func (f *file) append(entry Entry) error {
	line, err := entry.Line()
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	to, err := f.open()
	if err != nil {
		return err
	}
	if f.torn { // what is left of it stands alone
		line = append([]byte{'\n'}, line...)
	}
	n, err := to.Write(line)
	f.torn = n < len(line) && (n > 0 || f.torn)
	return errors.Join(err, to.Close())
}

func (f *file) open() (*os.File, error) {
	const flags = os.O_WRONLY | os.O_APPEND | os.O_CREATE | openFlags
	to, err := os.OpenFile(f.path, flags, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(f.path), 0o700); err == nil {
			to, err = os.OpenFile(f.path, flags, 0o600)
		}
	}
	if err != nil {
		return nil, err
	}
	info, err := to.Stat()
	if err == nil && !info.Mode().IsRegular() && info.Mode()&fs.ModeCharDevice == 0 {
		err = fmt.Errorf("%s is no file; expected one, or no such name", f.path)
	}
	if err != nil {
		return nil, errors.Join(err, to.Close())
	}
	return to, nil
}

// Slog gives entries to the handler of a logger, whatever levels it has: the event is the
// message, and the keys of the line are attributes.
func Slog(logger *slog.Logger) Sink {
	return func(ctx context.Context, entry Entry) error {
		line, err := entry.Line()
		if err != nil {
			return err
		}
		var keys map[string]any
		if err := json.Unmarshal(line, &keys); err != nil {
			return err
		}
		record := slog.NewRecord(entry.Time.Round(time.Microsecond), slog.LevelInfo, entry.Event, 0)
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			if key != "time" && key != "event" {
				record.AddAttrs(slog.Any(key, keys[key]))
			}
		}
		return logger.Handler().Handle(ctx, record)
	}
}
