package protect

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/regular"
)

// Moved says what would be protected in a folder once it has another name: names of the table
// may begin with that name and go on in the folder, as .hg/hgrc does. A link counts as if it
// held them, because it may later. Both paths are absolute, with links before the last name
// followed.
func (p Paths) Moved(workspace, from, to string) (by Name, ok bool) {
	rel := relTo(workspace, to)
	parts := strings.Split(rel, "/")
	for _, name := range names {
		if p.Excepts(name.path) {
			continue
		}
		own := strings.Split(name.path, "/")
		for n := 1; n < len(own) && n <= len(parts); n++ {
			tail := strings.Join(parts[len(parts)-n:], "/")
			if strings.EqualFold(tail, strings.Join(own[:n], "/")) && mayHold(from, own[n:]) {
				return Name{Path: path.Join(rel, path.Join(own[n:]...)), Reason: name.reason, Except: name.path}, true
			}
		}
	}
	return p.movedAtHome(rel, from, to)
}

// movedAtHome is Moved for names that count from a home, in which the workspace may be a part.
func (p Paths) movedAtHome(rel, from, to string) (by Name, ok bool) {
	for folder, parts := range p.parts() {
		at := relTo(folder, to)
		if !filepath.IsAbs(folder) || !filepath.IsLocal(at) {
			continue
		}
		for _, part := range parts {
			for _, name := range names {
				below := strings.TrimPrefix(path.Join(part, at), "/") + "/"
				if len(name.path) > len(below) && strings.EqualFold(name.path[:len(below)], below) && !p.Excepts(name.path) && mayHold(from, strings.Split(name.path[len(below):], "/")) {
					return Name{Path: path.Join(rel, name.path[len(below):]), Reason: name.reason, Except: name.path}, true
				}
			}
		}
	}
	return Name{}, false
}

// mayHold reports whether a folder holds a path, in any case of letters, or cannot be read.
func mayHold(folder string, below []string) bool {
	info, err := os.Lstat(folder)
	switch {
	case err != nil:
		return false
	case len(below) == 0 || info.Mode()&fs.ModeSymlink != 0:
		return true
	case !info.IsDir():
		return false
	}
	entries, whole, err := regular.List(folder, mostEntries)
	if err != nil || !whole {
		return true
	}
	for _, entry := range entries {
		if strings.EqualFold(entry.Name(), below[0]) && mayHold(filepath.Join(folder, entry.Name()), below[1:]) {
			return true
		}
	}
	return false
}
