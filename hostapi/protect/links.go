package protect

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/scriptrun/scriptrun/hostapi/regular"
)

// The bounds of the search for links in a folder: .config/systemd/user has a subfolder
// for each unit that wants others.
const (
	linksDeep  = 2
	linksNames = 128  // in one folder
	linksAll   = 4096 // names, in all below one
)

// linksIn follows the links in a protected folder, and those in its subfolders and in the
// folders to which they lead, down to a depth. Writing a link's target is like writing the
// protected folder.
func (l *look) linksIn(folder string, by why) {
	if l.paths.Excepts(by.except) {
		return
	}
	type step struct {
		folder string
		deep   int
	}
	left := linksAll
	for next := []step{{folder, linksDeep}}; len(next) > 0 && left > 0; next = next[1:] {
		at := next[0]
		if was, ok := l.listed[at.folder]; ok && was >= at.deep || !l.stamp(at.folder) {
			info, _ := os.Lstat(at.folder)
			l.ways.note(at.folder, info)
			continue
		}
		l.listed[at.folder] = at.deep
		entries, _, _ := regular.List(at.folder, min(linksNames, left)) // as far as it can be read
		left -= len(entries)
		for _, entry := range entries {
			path, below := filepath.Join(at.folder, entry.Name()), entry.IsDir()
			if entry.Type()&fs.ModeSymlink != 0 {
				path, below = l.leadTo(path, by, "", notGit)
			}
			if below && at.deep > 0 {
				next = append(next, step{path, at.deep - 1})
			}
		}
	}
}
