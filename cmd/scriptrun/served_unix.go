//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/regular"
	"golang.org/x/sys/unix"
)

// servedFolder is where servers of this user say what their tools are made of, a file each, which
// its server keeps locked. Commands of other processes must not write there either: a server offers
// what comes into its directory. It is empty if the user has no home.
func servedFolder() string { return userFolder("XDG_STATE_HOME", ".local/state", "served") }

// mostServed bounds what is read of a file of servedFolder.
const mostServed = 8 << 20

// sayServed writes what a server's tools are made of, for other processes that start from now on,
// until end is called. name is that of its file. Without a home it does nothing.
func sayServed(folder string, paths []string) (name string, end func(), err error) {
	nothing := func() {}
	if folder == "" {
		return "", nothing, nil
	}
	text, err := json.Marshal(paths)
	if err != nil {
		return "", nothing, err
	}
	if len(text) > mostServed {
		return "", nothing, fmt.Errorf("what tools are made of takes more than %d bytes to tell", mostServed)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", nothing, err
	}
	f, err := os.CreateTemp(folder, ".") // others do not look at such names
	if err != nil {
		return "", nothing, err
	}
	name = f.Name()
	end = func() { _ = errors.Join(os.Remove(name), f.Close()) } // without the lock it counts no more
	_, err = f.Write(text)
	shown := filepath.Join(folder, strings.TrimPrefix(filepath.Base(name), "."))
	if err = errors.Join(err, unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)); err == nil {
		if err = os.Rename(name, shown); err == nil {
			name = shown
			return filepath.Base(name), end, nil
		}
	}
	end()
	return "", nothing, err
}

// saying is what another process says, and since when.
type saying struct {
	paths []string
	since time.Time
}

// toldElsewhere is what processes say, but for the file of that name. Files of those that have ended are
// removed.
func toldElsewhere(folder, own string) (all []saying) {
	if folder == "" {
		return nil
	}
	entries, _ := os.ReadDir(folder) // without it nothing is said
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".") || entry.Name() == own {
			continue
		}
		info, err := entry.Info()
		if paths := servedBy(filepath.Join(folder, entry.Name())); err == nil && len(paths) > 0 {
			all = append(all, saying{paths, info.ModTime()})
		}
	}
	return all
}

// changedSince reports whether a file, or what is known of it, changed at a time or later. No command
// can set that time back.
func changedSince(path string, since time.Time) bool {
	var stat unix.Stat_t
	return unix.Lstat(path, &stat) == nil && !time.Unix(stat.Ctim.Unix()).Before(since)
}

// servedElsewhere is what the tools of this user's servers are made of.
func servedElsewhere(folder string) (paths []string) {
	for _, said := range toldElsewhere(folder, "") {
		paths = append(paths, said.paths...)
	}
	return paths
}

func servedBy(name string) (paths []string) {
	f, err := regular.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB); !errors.Is(err, unix.EWOULDBLOCK) {
		_ = os.Remove(name) // its server has ended
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(f, mostServed))
	if err == nil {
		err = json.Unmarshal(text, &paths)
	}
	if err != nil {
		return nil
	}
	return paths
}
