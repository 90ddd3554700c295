package protect

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/regular"
)

// Where repositories are sought below a workspace: somebody works in those, and
// goes into them.
const (
	seekAgain   = time.Minute
	seekDeep    = 4
	seekFolders = 1000
	seekFound   = 32
	seekEntries = 10_000  // of one folder
	seekAll     = 100_000 // of all
)

// seek finds folders below a workspace that have a repository of their own,
// parents first, as far as it looks.
func seek(workspace string) (found []string) {
	level, looked, left := []string{workspace}, 0, seekAll
	for range seekDeep {
		var next []string
		for _, dir := range level {
			if looked++; looked > seekFolders {
				return found
			}
			if _, err := os.Lstat(filepath.Join(dir, gitFolder)); err == nil && dir != workspace && len(found) < seekFound {
				found = append(found, dir)
			}
			entries, _, _ := regular.List(dir, min(seekEntries, left)) // what there is of it
			left -= len(entries)
			for _, entry := range entries {
				switch name := entry.Name(); {
				case entry.IsDir() && !strings.HasPrefix(name, ".") && name != "node_modules" && name != "vendor":
					next = append(next, filepath.Join(dir, name))
				}
			}
		}
		level = next
	}
	return found
}
