//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/regular"
	"github.com/scriptrun/scriptrun/hostapi/upward"
	"golang.org/x/sys/unix"
)

// servedFolder is where servers of this user say what their tools are made of, a file each, which
// its server keeps locked. Commands of other processes must not write there either: a server offers
// what comes into its directory. It is empty if the user has no home.
func servedFolder() string { return toldFolder("served") }

// toldFolder is a folder of the user in which processes tell something to the others. One that has no HOME
// tells it where those look that have.
func toldFolder(name string) string {
	if folder := userFolder("XDG_STATE_HOME", ".local/state", name); folder != "" {
		return folder
	}
	account, err := user.LookupId(strconv.Itoa(os.Getuid()))
	if err != nil || !filepath.IsAbs(account.HomeDir) {
		return ""
	}
	return filepath.Join(account.HomeDir, ".local/state", "scriptrun", name)
}

// place is a path as one process tells it to others: links followed, and with what is there, which can be moved.
type place struct {
	Path []byte `json:"path"` // in any encoding
	Dev  uint64 `json:"dev,omitempty"`
	Ino  uint64 `json:"ino,omitempty"` // 0 for nothing
	// Held says that commands of that process do not write there, whatever it lies in.
	Held bool  `json:"held,omitempty"`
	Born int64 `json:"born,omitempty"` // of what is held
}

func placeOf(path string) place {
	path = canonical(path)
	p := place{Path: []byte(path)}
	p.Dev, p.Ino = identity(path)
	return p
}

// placeOfLink is a link itself, in place of where it leads.
func placeOfLink(path string) place {
	return place{Path: []byte(filepath.Join(canonical(filepath.Dir(path)), filepath.Base(path)))}
}

func identity(path string) (dev, ino uint64) {
	var stat unix.Stat_t
	if unix.Lstat(path, &stat) != nil {
		return 0, 0
	}
	return uint64(stat.Dev), stat.Ino //nolint:unconvert // elsewhere it is another type
}

// way is a path, with links followed, and its folders up to the root.
type way []place

func wayOf(path string) (w way) {
	for at := range upward.From(path) {
		p := place{Path: []byte(at)}
		p.Dev, p.Ino = identity(at)
		w = append(w, p)
	}
	return w
}

// below is the part of the way that lies below the place; false if it does not lead there.
func (w way) below(p place) (way, bool) {
	for i, at := range w {
		if bytes.Equal(at.Path, p.Path) || at.Ino != 0 && at.Ino == p.Ino && at.Dev == p.Dev {
			return w[:i], true
		}
	}
	return nil, false
}

// passes reports whether the way leads through what was at the place when it was told: what replaces it
// is held by nobody.
func (w way) passes(p place) bool {
	return slices.ContainsFunc(w, func(at place) bool {
		return at.Ino != 0 && at.Ino == p.Ino && at.Dev == p.Dev && bornAt(string(at.Path)) == p.Born
	})
}

// meets reports whether the way leads to the place, or from it.
func (w way) meets(p place) bool {
	if _, lies := w.below(p); lies {
		return true
	}
	_, lies := wayOf(string(p.Path)).below(placeOf(string(w[0].Path)))
	return lies
}

// mostServed bounds what is read of a file of servedFolder.
const mostServed = 8 << 20

// sayServed writes what a server's tools are made of, with the links on the way, for other processes that start from now on, or where
// commands write and what of that is held, until end is called. name is that of its file.
func sayServed(folder string, paths, links, held []string) (name string, end func(), err error) {
	nothing := func() {}
	if folder == "" {
		return "", nothing, errors.New("there is no folder for it: set HOME, to one that commands do not lead elsewhere")
	}
	places := make([]place, 0, len(paths))
	for _, path := range paths {
		places = append(places, placeOf(path))
	}
	for _, path := range links {
		places = append(places, placeOfLink(path))
	}
	for _, path := range held {
		if p := placeOf(path); p.Ino != 0 { // what comes where nothing was is put away, but not at once
			p.Held, p.Born = true, bornAt(path)
			places = append(places, p)
		}
	}
	text, err := json.Marshal(places)
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
	at := f.Name()
	end = func() { _ = errors.Join(os.Remove(at), f.Close()) } // without the lock it counts no more
	_, err = f.Write(text)
	shown := filepath.Join(folder, strings.TrimPrefix(filepath.Base(at), "."))
	if err = errors.Join(err, unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)); err == nil {
		if err = os.Rename(at, shown); err == nil {
			at = shown
			return filepath.Base(shown), end, nil
		}
	}
	end()
	return "", nothing, err
}

// saying is what another process says, and since when.
type saying struct {
	places []place
	since  time.Time
}

// toldElsewhere is what processes say, but for the file of that name. Files of those that have ended are
// removed if sweep is set: not where commands may lead the folder elsewhere.
func toldElsewhere(folder, own string, sweep bool) (all []saying) {
	if folder == "" {
		return nil
	}
	entries, _ := os.ReadDir(folder) // without it nothing is said
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".") || entry.Name() == own {
			continue
		}
		info, err := entry.Info()
		if places := servedBy(filepath.Join(folder, entry.Name()), sweep); err == nil && len(places) > 0 {
			all = append(all, saying{places, info.ModTime()})
		}
	}
	return all
}

// changedSince reports whether a file, or what is known of it, changed at a time or later, or is not there
// just now. No command can set that time back.
func changedSince(path string, since time.Time) bool {
	var stat unix.Stat_t
	return unix.Lstat(path, &stat) != nil || !time.Unix(stat.Ctim.Unix()).Before(since)
}

// changedSince reports whether something on the way did.
func (w way) changedSince(since time.Time) bool {
	return slices.ContainsFunc(w, func(at place) bool { return changedSince(string(at.Path), since) })
}

// servedElsewhere is what the tools of this user's servers are made of.
func servedElsewhere(folder string, sweep bool) (paths []string) {
	for _, said := range toldElsewhere(folder, "", sweep) {
		for _, place := range said.places {
			paths = append(paths, string(place.Path))
		}
	}
	return paths
}

func servedBy(name string, sweep bool) (places []place) {
	f, err := regular.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB); !errors.Is(err, unix.EWOULDBLOCK) {
		if sweep {
			_ = os.Remove(name) // its server has ended
		}
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(f, mostServed))
	if err == nil {
		err = json.Unmarshal(text, &places)
	}
	if err != nil {
		return nil
	}
	return places
}
