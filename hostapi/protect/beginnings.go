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

// is reports whether a row stands for a name, in any case of letters.
func (n named) is(name string) bool {
	beginning, many := n.begins()
	if !many {
		return strings.EqualFold(name, n.path)
	}
	return len(name) >= len(beginning) && strings.EqualFold(name[:len(beginning)], beginning) && !strings.Contains(name, "/")
}

// beginning looks at the names of a home for which such a row stands.
func (l *look) beginning(home, beginning string, name named) {
	path := filepath.Join(home, beginning)
	if l.paths.Excepts(name.path) || !l.inside(path) || !l.stamp(home) {
		return
	}
	_, _ = regular.Each(home, func(entry fs.DirEntry) bool { // as far as it can be read
		if strings.HasPrefix(entry.Name(), beginning) {
			l.add(filepath.Join(home, entry.Name()), why{name.reason, name.path}, notGit)
		}
		return l.effort.step(path)
	})
}
