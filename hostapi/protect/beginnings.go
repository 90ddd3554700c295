package protect

import (
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/regular"
)

// Some programs put the name of the machine and their version into the name of a file that
// they run. So a row of the table may stand for all names that begin alike.

// begins is the beginning, for such a row.
func (n named) begins() (beginning string, many bool) { return strings.CutSuffix(n.path, "*") }

// is reports whether a row stands for a name of as many parts, in any case of letters.
func (n named) is(name string) bool {
	beginning, many := n.begins()
	if !many {
		return strings.EqualFold(name, n.path)
	}
	return len(name) >= len(beginning) && strings.EqualFold(name[:len(beginning)], beginning)
}

// beginning looks at the names of a home for which such a row stands.
func (l *look) beginning(home, beginning string, name named) {
	path := filepath.Join(home, beginning)
	dir := filepath.Dir(path)
	if l.paths.Excepts(name.path) || !l.inside(path) || !l.stampTo(home, dir) {
		return
	}
	_, _ = regular.Each(dir, func(entry fs.DirEntry) bool { // as far as it can be read
		if strings.HasPrefix(entry.Name(), filepath.Base(path)) {
			at, before := filepath.Join(dir, entry.Name()), len(l.found)
			if l.add(at, why{name.reason, name.path}, notGit); len(l.found) > before && dir != home {
				l.pinBetween(at)
			}
		}
		return l.effort.step(path)
	})
}
