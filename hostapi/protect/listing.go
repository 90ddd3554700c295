package protect

import (
	"io/fs"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/regular"
)

// The bound on listing repositories' own folders in one look, and the cost of a name
// and of a folder.
const (
	mostListed = 3 << 19
	listName   = 4
	listFolder = 16
)

// listing is the content of one folder in a repository's own folder.
type listing struct {
	id             fileID
	at             time.Time
	names          []string // all of them
	folders, links []string
	whole          bool
}

// listings are listings by folder.
type listings map[string]*listing

// holds reports whether a folder is still as it was listed.
func (p *listing) holds(id fileID) bool {
	return p.whole && p.id == id && id.settled(p.at)
}

// list lists a folder; nil if there is none, or the time is up.
func (l *look) list(dir string) *listing {
	if here, ok := l.listings[dir]; ok {
		return here
	}
	if !l.stamp(dir) || !l.effort.inTimeAt(dir) {
		return nil
	}
	here := &listing{id: l.stamps[dir], at: time.Now()}
	if was, ok := l.before[dir]; ok && was.holds(here.id) {
		here = was
	} else if left := l.effort.listed / listName; left > 0 {
		var entries []fs.DirEntry
		entries, here.whole, _ = regular.List(dir, left) // as far as it can be read
		for _, entry := range entries {
			here.names = append(here.names, entry.Name())
			switch {
			case entry.IsDir():
				here.folders = append(here.folders, entry.Name())
			case entry.Type()&fs.ModeSymlink != 0:
				here.links = append(here.links, entry.Name())
			}
		}
	}
	l.effort.listed -= listFolder + listName*len(here.names)
	l.listings[dir] = here
	return here
}
