package protect

import (
	"io/fs"
	"path/filepath"
	"strings"

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

// beginning looks at the names of a home for which such a row stands. Where commands do not write
// the home, only links can lead from there to what they write.
func (l *look) beginning(home, beginning string, name named) {
	path, by := filepath.Join(home, beginning), why{name.reason, name.path}
	dir, stays := filepath.Dir(path), false
	if l.paths.Excepts(name.path) {
		return
	}
	to := dir
	if !l.inside(path) || !l.stampTo(home, dir) {
		if to, stays = l.beginningAt(path, by); !stays {
			return
		}
	}
	links := !l.inside(filepath.Join(to, "x"))
	_, _ = regular.Each(to, func(entry fs.DirEntry) bool { // as far as it can be read
		at, before := filepath.Join(to, entry.Name()), len(l.found)
		switch {
		case !strings.HasPrefix(entry.Name(), filepath.Base(path)) || links && entry.Type()&fs.ModeSymlink == 0:
		case stays:
			l.lead(filepath.Join(dir, entry.Name()), by, "", notGit)
		default:
			if l.add(at, by, notGit); len(l.found) > before && dir != home {
				l.pinBetween(at)
			}
		}
		return l.effort.step(path)
	})
}

// beginningAt notes the links and folders on the way to the folder of such names, and what may
// appear there. It reports whether the folder exists.
func (l *look) beginningAt(path string, by why) (dir string, exists bool) {
	before := len(l.coming)
	l.leadTo(path, by, "", notGit)
	dir, err := l.effort.resolve(filepath.Dir(path))
	at := filepath.Join(dir, filepath.Base(path))
	if exists = err == nil && l.stamp(dir); exists && len(l.coming) == before && l.inside(at) { // a file of just that name is there
		l.coming = append(l.coming, candidate{path: at, why: by})
	}
	for i := range l.coming[before:] {
		l.coming[before+i].begins = true
	}
	return dir, exists
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
