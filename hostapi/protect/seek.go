package protect

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/regular"
)

// Bounds of where repositories are sought below a workspace. Half of the folders
// are the uppermost, half the oldest: what commands make is neither for long.
const (
	seekFolders = 2000
	seekEntries = 10_000  // of one folder
	seekAll     = 100_000 // of all
)

// seeker finds repositories below a workspace. It forgets none that it found, and
// reads a folder again when that has changed.
type seeker struct {
	repos, bare []string
	known       map[string]bool // of both, so that none is listed twice
	read        sought
	bins        *bins
}

// seekRead is what is below a folder.
type seekRead struct {
	id      fileID
	at      time.Time
	entries map[string]origin // folders
	whole   bool
}

// seekFolder is a folder to be looked at.
type seekFolder struct {
	path  string
	deep  int
	aside bool // such as what others have written
	store bool // of objects
	made  int64
}

// upper puts folders first that somebody is likely to work in.
func upper(a, b seekFolder) int {
	switch {
	case a.aside != b.aside && b.aside:
		return -1
	case a.aside != b.aside:
		return 1
	}
	return cmp.Or(cmp.Compare(a.deep, b.deep), cmp.Compare(a.made, b.made))
}

func older(a, b seekFolder) int {
	return cmp.Or(cmp.Compare(a.made, b.made), cmp.Compare(a.deep, b.deep))
}

// Folders that are shut are opened.
func (s *seeker) seek(workspace string, doors *shut) {
	read, left := sought{}, seekAll
	next := []seekFolder{{path: workspace}}
	for _, order := range []func(a, b seekFolder) int{upper, older} {
		for looked := 0; looked < seekFolders/2 && len(next) > 0; {
			slices.SortFunc(next, order)
			// One level, or what is oldest now, at a time: what lies below comes next.
			batch := next[:min(len(next), seekFolders/2-looked, 64)]
			next = slices.Clone(next[len(batch):])
			for _, dir := range batch {
				looked++
				next = append(next, s.below(dir, workspace, read, &left, doors)...)
			}
		}
	}
	s.read = read
}

// isNew notes what was found.
func (s *seeker) isNew(key string) bool {
	if s.known == nil {
		s.known = map[string]bool{}
	}
	was := s.known[key]
	s.known[key] = true
	return !was
}

// below looks at a folder.
func (s *seeker) below(dir seekFolder, workspace string, read sought, left *int, doors *shut) (next []seekFolder) {
	info, err := os.Lstat(dir.path)
	if err == nil && doors.open(dir.path, info) {
		info, err = os.Lstat(dir.path)
	}
	if err != nil {
		return nil
	}
	has := func(name string) bool { return isThere(filepath.Join(dir.path, name)) }
	if dir.path != workspace && has(gitFolder) && s.isNew(dir.path) {
		s.repos = append(s.repos, dir.path)
	}
	bare := isRepository(has)
	if bare && s.isNew(dir.path+"\x00") {
		s.bare = append(s.bare, dir.path)
	}
	id := idFrom(info)
	was, ok := s.read[dir.path]
	if !ok || was.id != id || id.changed == 0 || was.at.UnixNano()-id.changed < int64(settleTime) {
		was = seekRead{id: id, at: time.Now(), entries: map[string]origin{}}
		entries, whole, _ := regular.List(dir.path, min(seekEntries, *left)) // what there is of it
		was.whole = whole
		for _, entry := range entries {
			if entry.IsDir() && entry.Name() != gitFolder {
				was.entries[entry.Name()] = originOf(filepath.Join(dir.path, entry.Name()))
			}
		}
		*left -= len(entries)
	}
	read[dir.path] = was
	for name, of := range was.entries {
		path := filepath.Join(dir.path, name)
		if s.bins.knows(path) {
			continue
		}
		if dir.store && (isFan(name) || name == "pack" || name == "info") && holdsNoFolder(path) {
			continue
		}
		inBare := bare && (name == "objects" || name == "refs")
		aside := dir.aside || inBare || strings.HasPrefix(name, ".") || name == "node_modules" || name == "vendor"
		next = append(next, seekFolder{path: path, deep: dir.deep + 1, aside: aside, store: inBare && name == "objects", made: of.made})
	}
	return next
}

// sought is what a seeker read once, by folder.
type sought map[string]seekRead

// holdsNoFolder reports whether a folder of objects is as git has them: with files alone.
func holdsNoFolder(folder string) bool {
	if n := foldersIn(folder); n >= 0 {
		return n == 0
	}
	entries, whole, err := regular.List(folder, seekEntries)
	return err == nil && whole && !slices.ContainsFunc(entries, os.DirEntry.IsDir)
}
