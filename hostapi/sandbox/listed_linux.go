package sandbox

import (
	"os"
	"path/filepath"
	"slices"
)

// Landlock goes by files, not by names: what it does not name, one by one, beside
// a secret that is there or may come, no command reads, whoever puts it there.

// maxListed is how many entries are named one by one. Beyond them a folder is
// granted as a whole, and its secrets are hidden by mounts alone.
const maxListed = 1024

// listing is what is granted to be read, without what may hold secrets.
type listing struct {
	paths   []string // that may be read
	folders []string // whose entries are named one by one
}

// newListing lists what lies in places that commands may read, with links followed;
// at is where a path is looked up.
func newListing(p Policy, places []string, at func(string) string) (l listing) {
	anyLink := func(string) bool { return false }
	var secrets []string
	for _, key := range homeKeys(p) {
		to, _ := follow(key, at, anyLink)
		secrets = append(secrets, key, to)
	}
	holds := func(dir string) bool {
		return slices.ContainsFunc(secrets, func(secret string) bool { return secret != dir && beneath(secret, dir) })
	}
	var list func(dir string, into *listing) bool
	list = func(dir string, into *listing) bool {
		into.folders = append(into.folders, dir)
		entries, err := os.ReadDir(at(dir))
		if err != nil {
			return false
		}
		for _, entry := range entries {
			path := filepath.Join(dir, entry.Name())
			switch {
			case len(into.paths) > maxListed:
				return false
			case entry.Type()&os.ModeSymlink != 0, slices.Contains(secrets, path):
				// A link is granted where it leads, if that is.
			case entry.IsDir() && holds(path):
				if !list(path, into) {
					return false
				}
			default:
				into.paths = append(into.paths, path)
			}
		}
		return true
	}
	for _, place := range places {
		dir, ok := follow(place, at, anyLink)
		var inside listing
		if ok && holds(dir) && list(dir, &inside) {
			l.paths, l.folders = append(l.paths, inside.paths...), append(l.folders, inside.folders...)
		} else {
			l.paths = append(l.paths, place)
		}
	}
	return l
}
