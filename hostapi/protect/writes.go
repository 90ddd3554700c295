package protect

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/scriptrun/scriptrun/hostapi/regular"
)

// Git writes some of its files through a link that stands at their name: messages,
// what was fetched, logs. A link there would take the user's next commit to any file
// of theirs, and names of branches may spell a command. Git makes none.

const writesReason = "git writes to where it leads"

// writtenIn are the folders of a repository's own where git writes through links.
var writtenIn = []string{".", "logs", "logs/refs", "logs/refs/heads"}

// linksOf looks at the links in them. What was there before stays as it was.
func (l *look) linksOf(git string) {
	for _, name := range writtenIn {
		dir := filepath.Join(git, filepath.FromSlash(name))
		if !l.stamp(dir) {
			continue
		}
		entries, _, _ := regular.List(dir, mostEntries) // what there is of it
		for _, entry := range entries {
			path := filepath.Join(dir, entry.Name())
			if entry.Type()&fs.ModeSymlink == 0 || slices.Contains(gitParts, entry.Name()) || slices.Contains(gitStates, entry.Name()) || !l.effort.step(path) {
				continue
			}
			if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
				link, _ := os.Readlink(path) // a link that is gone is none
				l.note(candidate{path: path, why: why{writesReason, ofGit("").except}, link: link, git: gitLink, id: idFrom(info)})
			}
		}
	}
}
