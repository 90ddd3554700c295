package protect

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/regular"
)

// Some programs put the name of the machine and their version into the name of a file that
// they run, or let their users choose a part of it. So a row of the table may stand for all names
// of a home that begin alike, or all of any folder that end alike.

// begins is the beginning, for such a row.
func (n named) begins() (beginning string, many bool) { return strings.CutSuffix(n.path, "*") }

// ends is the end, for a row of names that end alike.
func (n named) ends() (end string, many bool) { return strings.CutPrefix(n.path, "*") }

// is reports whether a row stands for a name of as many parts, in any case of letters.
func (n named) is(name string) bool {
	if end, many := n.ends(); many {
		return len(name) >= len(end) && strings.EqualFold(name[len(name)-len(end):], end) && !strings.Contains(name, "/")
	}
	beginning, many := n.begins()
	if !many {
		return strings.EqualFold(name, n.path)
	}
	return len(name) >= len(beginning) && strings.EqualFold(name[:len(beginning)], beginning)
}

// mostEndings is how many names of a folder are looked through for such rows: it takes some
// milliseconds, at each look at a folder that has changed.
const mostEndings = 20_000

// endings looks at the names of a folder that end as rows of the table say.
func (l *look) endings(dir string) {
	var rows []named
	for _, name := range names {
		if _, many := name.ends(); many && !l.paths.Excepts(name.path) {
			rows = append(rows, name)
		}
	}
	if len(rows) == 0 {
		return
	}
	left := mostEndings
	_, _ = regular.Each(dir, func(entry fs.DirEntry) bool { // as far as it can be read
		for _, name := range rows {
			if end, _ := name.ends(); strings.HasSuffix(entry.Name(), end) {
				l.add(filepath.Join(dir, entry.Name()), why{name.reason, name.path}, notGit)
			}
		}
		left--
		return left > 0 && (left%1024 != 0 || l.effort.inTimeAt(dir))
	})
}

// beginning looks at the names of a home for which such a row stands.
func (l *look) beginning(home, beginning string, name named) {
	path, by := filepath.Join(home, beginning), why{name.reason, name.path}
	dir := filepath.Dir(path)
	if l.paths.Excepts(name.path) {
		return
	}
	if !l.inside(path) || !l.stampTo(home, dir) {
		l.beginningAt(path, by)
		return
	}
	_, _ = regular.Each(dir, func(entry fs.DirEntry) bool { // as far as it can be read
		if strings.HasPrefix(entry.Name(), filepath.Base(path)) {
			at, before := filepath.Join(dir, entry.Name()), len(l.found)
			if l.add(at, by, notGit); len(l.found) > before && dir != home {
				l.pinBetween(at)
			}
		}
		return l.effort.step(path)
	})
}

// beginningAt is beginning where commands do not write the home, or a link leads to the folder: it
// follows the links on the way and at the names, and notes what may appear.
func (l *look) beginningAt(path string, by why) {
	before := len(l.coming)
	l.leadTo(path, by, "", notGit)
	dir, err := l.effort.resolve(filepath.Dir(path))
	at := filepath.Join(dir, filepath.Base(path))
	if err == nil && len(l.coming) == before && l.inside(at) { // a file of just that name is there
		l.coming = append(l.coming, candidate{path: at, why: by})
	}
	for i := range l.coming[before:] {
		l.coming[before+i].begins = true
	}
	if err != nil {
		return
	}
	was := begun{folder: folderID(dir), links: !l.inside(at)}
	if !was.links {
		l.stamp(dir)
	}
	if was.names = was.namesAt(at, func() bool { return l.effort.step(at) }); was.links {
		l.ways.begun[at] = was
	}
	for _, name := range was.names {
		if !l.effort.step(at) {
			return
		}
		l.lead(filepath.Join(filepath.Dir(path), name), by, "", notGit)
	}
}

// begun is the names in a folder that begin alike.
type begun struct {
	folder fileID // before the look
	names  []string
	links  bool // only links count: no command writes there
}

// namesAt are those that begin so now, as long as more of the folder is to be read.
func (b begun) namesAt(beginning string, more func() bool) (names []string) {
	_, _ = regular.Each(filepath.Dir(beginning), func(entry fs.DirEntry) bool { // as far as it can be read
		if strings.HasPrefix(entry.Name(), filepath.Base(beginning)) && (!b.links || entry.Type()&fs.ModeSymlink != 0) {
			names = append(names, entry.Name())
		}
		return more()
	})
	slices.Sort(names)
	return names
}

// stillHolds reports whether they are as they were at that time.
func (b begun) stillHolds(beginning string, at time.Time) bool {
	now, left := folderID(filepath.Dir(beginning)), mostSteps
	return now == b.folder && now.settled(at) || slices.Equal(b.namesAt(beginning, func() bool { left--; return left > 0 }), b.names)
}

// named is what a candidate's path stands for on the way to another path: for a beginning, the
// name there that begins so.
func (c candidate) named(path string) string {
	dir := filepath.Dir(c.path)
	name, _, _ := strings.Cut(relTo(dir, path), "/")
	if c.begins && strings.HasPrefix(name, filepath.Base(c.path)) {
		return filepath.Join(dir, name)
	}
	return c.path
}
