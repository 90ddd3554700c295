package protect

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/regular"
)

// The bounds of the search for repositories below a workspace. Half of the folders
// are the uppermost, half the oldest: folders that commands make are neither for long.
const (
	seekFolders = 2000
	seekEntries = 100_000   // folders, and links out, of all that are listed
	seekNames   = 2_000_000 // names that are read for that
	seekDoors   = 10_000    // further folders that are only checked for a repository
)

// seeker finds repositories below a workspace. It forgets none, and reads a folder again when
// it has changed.
type seeker struct {
	repos, bare []string
	known       map[string]bool // in either list
	read        sought
	asked       sought       // folders that were only checked
	cut         []string     // folders that were not read to the end
	missed      []seekFolder // folders that were not read
	told        int64        // when a result named those
	most        seekLeft     // zero for the usual bounds
	modes       int          // how many files' modes are still looked at
}

// seekRead is the content of a folder.
type seekRead struct {
	id      fileID
	at      time.Time
	entries map[string]origin // folders
	setIDs  []string          // files that run as their owner
	whole   bool
	cut     bool // there is more than was listed
}

// holds reports whether a folder has not changed since.
func (r seekRead) holds(id fileID) bool {
	return r.id == id && id.settled(r.at)
}

// seekFolder is a folder to look at.
type seekFolder struct {
	path  string
	deep  int
	aside bool // see [isAside]
	store bool // of objects
	made  int64
}

// upper puts folders first in which somebody is likely to work.
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

// seek opens folders that are shut.
func (s *seeker) seek(workspace string, doors *shut) {
	read, left := sought{}, s.most
	if s.modes = 0; os.Geteuid() == 0 {
		s.modes = setIDFiles
	}
	if s.cut = nil; left == (seekLeft{}) {
		left = seekLeft{seekEntries, seekNames}
	}
	next := []seekFolder{{path: workspace}}
	for _, order := range []func(a, b seekFolder) int{upper, older} {
		for looked := 0; looked < seekFolders/2 && len(next) > 0; {
			slices.SortFunc(next, order)
			// One level, or the oldest folders, at a time: their subfolders come next.
			batch := next[:min(len(next), seekFolders/2-looked, 64)]
			next = slices.Clone(next[len(batch):])
			for _, dir := range batch {
				looked++
				next = append(next, s.below(dir, workspace, read, &left, doors)...)
			}
		}
	}
	s.read, s.missed = read, next
	s.ask(next[:min(len(next), seekDoors)], workspace, doors)
}

// ask checks folders that are not read for a repository, if they changed since the last check.
func (s *seeker) ask(folders []seekFolder, workspace string, doors *shut) {
	asked := sought{}
	for _, dir := range folders {
		if dir.aside {
			continue
		}
		was, at := s.asked[dir.path], time.Now()
		if id, err := idOf(dir.path); err != nil || was.holds(id) {
			asked[dir.path] = was
			continue
		}
		if info, err := os.Lstat(dir.path); err == nil {
			doors.open(dir.path, info)
			s.note(dir.path, workspace)
			asked[dir.path] = seekRead{id: idFrom(info), at: at}
		}
	}
	s.asked = asked
}

// seekLeft is what is left of the bounds.
type seekLeft struct{ entries, names int }

// isNew notes a repository, and reports whether it is new.
func (s *seeker) isNew(key string) bool {
	if s.known == nil {
		s.known = map[string]bool{}
	}
	was := s.known[key]
	s.known[key] = true
	return !was
}

// note notes the repository that a folder holds, or is; that of the workspace itself is known.
func (s *seeker) note(dir, workspace string) (bare bool) {
	has := func(name string) bool { return isThere(filepath.Join(dir, name)) }
	if dir != workspace && has(gitFolder) && s.isNew(dir) {
		s.repos = append(s.repos, dir)
	}
	if bare = isRepository(has); bare && s.isNew(dir+"\x00") {
		s.bare = append(s.bare, dir)
	}
	return bare
}

// below looks at a folder and returns its subfolders.
func (s *seeker) below(dir seekFolder, workspace string, read sought, left *seekLeft, doors *shut) (next []seekFolder) {
	info, err := os.Lstat(dir.path)
	if err == nil && doors.open(dir.path, info) {
		info, err = os.Lstat(dir.path)
	}
	if err != nil {
		return nil
	}
	bare := s.note(dir.path, workspace)
	id := idFrom(info)
	was, ok := s.read[dir.path]
	if !ok || !was.holds(id) {
		was = seekRead{id: id, at: time.Now(), entries: map[string]origin{}}
		var err error
		was.whole, err = regular.Each(dir.path, func(entry os.DirEntry) bool { // as far as it can be read
			left.names--
			folder := entry.IsDir() && entry.Name() != gitFolder
			if folder {
				left.entries--
			}
			switch {
			case left.names < 0 || left.entries < 0:
				return false
			case !folder:
				s.setID(entry, &was)
			default:
				was.entries[entry.Name()] = originOf(filepath.Join(dir.path, entry.Name()))
			}
			return true
		})
		was.cut = !was.whole && err == nil // a folder of another user can be neither read nor written
	}
	if read[dir.path] = was; was.cut {
		s.cut = append(s.cut, dir.path)
	}
	for name, of := range was.entries {
		path := filepath.Join(dir.path, name)
		if dir.store && (isFan(name) || name == "pack" || name == "info") && holdsNoFolder(path) {
			continue
		}
		inBare := bare && (name == "objects" || name == "refs")
		aside := inBare || dir.deep > 0 && (dir.aside || isAside(name) || isAside(filepath.Base(dir.path)))
		next = append(next, seekFolder{path: path, deep: dir.deep + 1, aside: aside, store: inBare && name == "objects", made: of.made})
	}
	return next
}

// isAside reports whether a folder usually holds files of others, not of the user's own work.
// At the top of a workspace that applies only to its subfolders.
func isAside(name string) bool {
	return strings.HasPrefix(name, ".") || name == "node_modules" || name == "vendor"
}

// sought is what a seeker has read, by folder.
type sought map[string]seekRead

// holdsNoFolder reports whether a folder of objects holds only files, as git's do.
func holdsNoFolder(folder string) bool {
	if n := foldersIn(folder); n >= 0 {
		return n == 0
	}
	whole, err := regular.Each(folder, func(entry os.DirEntry) bool { return !entry.IsDir() })
	return err == nil && whole
}

// unsought names folders in which a command may have made a repository that was not looked for:
// once a folder that holds too much, and each time new folders that are too many; if these
// usually hold files of others, once too, because installing makes many.
func (g *Guard) unsought() (all []Away) {
	const asideOnce = "\x00aside"
	const reason = "there may be repositories in it that were not checked, and git runs the programs that their settings name"
	say := func(path, more string) {
		all = append(all, Away{Path: relTo(g.workspace, path), Reason: more + reason, Kept: true, Err: errEffort})
	}
	seekers := []*seeker{&g.seeker}
	for _, folder := range g.asked.further {
		if s := g.farther[folder]; s != nil {
			seekers = append(seekers, s)
		}
	}
	for _, s := range seekers {
		for _, folder := range s.cut {
			if !g.told[folder] {
				g.told[folder] = true
				say(folder, "")
			}
		}
		fresh := slices.DeleteFunc(slices.Clone(s.missed), func(f seekFolder) bool {
			return f.aside && g.told[asideOnce] || f.made < max(g.began.Add(-clockLag).UnixNano(), s.told)
		})
		if len(fresh) > 0 {
			s.told = time.Now().UnixNano()
			g.told[asideOnce] = g.told[asideOnce] || slices.ContainsFunc(fresh, func(f seekFolder) bool { return f.aside })
			say(fresh[0].path, fmt.Sprintf("it is one of %d new folders, more than can be checked; ", len(fresh)))
		}
	}
	return all
}
