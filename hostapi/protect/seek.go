package protect

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Where repositories are sought below a workspace: somebody works in those, and
// goes into them.
const (
	seekAgain   = time.Minute
	seekDeep    = 4
	seekFolders = 1000
	seekFound   = 32
)

// seek finds folders below a workspace that have a repository of their own,
// parents first, as far as it looks.
func seek(workspace string) (found []string) {
	level, looked := []string{workspace}, 0
	for range seekDeep {
		var next []string
		for _, dir := range level {
			if looked++; looked > seekFolders {
				return found
			}
			entries, _ := os.ReadDir(dir) // what there is of it
			for _, entry := range entries {
				switch name := entry.Name(); {
				case name == gitFolder && dir != workspace && len(found) < seekFound:
					found = append(found, dir)
				case entry.IsDir() && !strings.HasPrefix(name, ".") && name != "node_modules" && name != "vendor":
					next = append(next, filepath.Join(dir, name))
				}
			}
		}
		level = next
	}
	return found
}
