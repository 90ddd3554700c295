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

// Writer is a sink that writes each line with one Write.
func Writer(w io.Writer) Sink {
	var mu sync.Mutex
	return func(_ context.Context, line []byte) error {
		mu.Lock()
		defer mu.Unlock()
		_, err := w.Write(line)
		return err
	}
}

// File is a sink that appends to a file, each line with one write: several processes can
// share the file. It creates the file and its folders, for the owner alone, and opens it
// for each line, so that a file that was moved away is created again. If it may not be opened
// any more, because somebody changed the mode of a folder, lines go to the file as it was
// opened before. It refuses a symbolic link, and what may block a writer, such as a pipe. It
// does not wait for the disk.
func File(path string) Sink {
	var mu sync.Mutex
	var kept *os.File // open
	cut := false      // by a full disk
	return func(_ context.Context, line []byte) error {
		mu.Lock()
		defer mu.Unlock()
		to, err := open(path)
		if kept != nil && errors.Is(err, fs.ErrPermission) {
			to, err = kept, nil
		}
		if err != nil {
			return err
		}
		if to != kept && !same(to, kept) {
			if kept != nil {
				_ = kept.Close() // its lines were written
			}
			kept = to
		}
		if cut || torn(to) { // what is there of the last line stays on its own
			line = append([]byte{'\n'}, line...)
		}
		n, err := to.Write(line)
		cut = n < len(line) && (n > 0 || cut)
		if to != kept {
			err = errors.Join(err, to.Close())
		}
		return err
	}
}

// same reports whether two open files are one; the second may be nil.
func same(a, b *os.File) bool {
	if b == nil {
		return false
	}
	first, err := a.Stat()
	if err != nil {
		return false
	}
	second, err := b.Stat()
	return err == nil && os.SameFile(first, second)
}

// Create creates the file of [File], so that it can be protected before anything runs.
func Create(path string) error {
	to, err := open(path)
	if err != nil {
		return err
	}
	return to.Close()
}

// torn reports whether the last line of a file has no end, and nobody is about to write
// it. Of a file that may not be read that is not known.
func torn(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 || time.Since(info.ModTime()) < time.Second {
		return false
	}
	last := make([]byte, 1)
	_, err = f.ReadAt(last, info.Size()-1)
	return err == nil && last[0] != '\n'
}

func open(path string) (*os.File, error) {
	const flags = os.O_APPEND | os.O_CREATE | openFlags
	to, err := os.OpenFile(path, os.O_RDWR|flags, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			to, err = os.OpenFile(path, os.O_RDWR|flags, 0o600)
		}
	}
	if errors.Is(err, fs.ErrPermission) { // it may be one that its writers cannot read
		to, err = os.OpenFile(path, os.O_WRONLY|flags, 0o600)
	}
	if err != nil {
		return nil, err
	}
	info, err := to.Stat()
	if err == nil && !info.Mode().IsRegular() && info.Mode()&fs.ModeCharDevice == 0 {
		err = fmt.Errorf("%s is not a regular file; name a file, or one that does not exist yet", path)
	}
	if err != nil {
		return nil, errors.Join(err, to.Close())
	}
	return to, nil
}

// Slog is a sink that gives each line to the handler of a logger, at any level: the event is
// the message, and the other keys of the line are attributes.
func Slog(logger *slog.Logger) Sink {
	return func(ctx context.Context, line []byte) error {
		var head struct {
			Time  time.Time
			Event string
		}
		var keys map[string]any
		if err := errors.Join(json.Unmarshal(line, &head), json.Unmarshal(line, &keys)); err != nil {
			return err
		}
		record := slog.NewRecord(head.Time, slog.LevelInfo, head.Event, 0)
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			if key != "time" && key != "event" {
				record.AddAttrs(slog.Any(key, keys[key]))
			}
		}
		return logger.Handler().Handle(ctx, record)
	}
}
