package sandbox

import (
	"os"
	"path/filepath"
	"slices"
)

// Landlock goes by files, not by names: what it does not name, one by one, beside
// a secret that is there or may come, no command reads, whoever puts it there.

// maxListed is how many entries of a place are named one by one, which takes each
// place that commands start from some 50 ms. Beyond them the place is granted as a
// whole, its secrets are hidden by mounts alone, and a measure says so.
const maxListed = 16384

// listing is what is granted to be read, without what may hold secrets.
type listing struct {
	paths   []string // that may be read
	folders []string // whose entries are named one by one
	many    []string // places with more in them than that
}

// newListing lists what lies in places that commands may read, with links followed;
// at is where a path is looked up.
func newListing(p Policy, places []string, at func(string) string) (l listing) {
	anyLink := func(string) bool { return false }
	theirs := p.places()
	var secrets []string
	for _, key := range homeKeys(p) {
		to, _ := follow(key, at, anyLink)
		secrets = append(secrets, key, to)
	}
	if slices.ContainsFunc(places, func(place string) bool { return beneath(place, "/etc") }) {
		secrets = append(secrets, secretsInEtc()...)
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
			case len(into.paths) >= maxListed:
				into.many = []string{dir}
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
		dir, ok := follow(place, at, theirs.Hold)
		if !ok {
			continue // what is not there grants nothing
		}
		var inside listing
		if holds(dir) && list(dir, &inside) {
			l.paths, l.folders = append(l.paths, inside.paths...), append(l.folders, inside.folders...)
			continue
		}
		l.paths = append(l.paths, dir)
		if len(inside.many) > 0 {
			l.many = append(l.many, place)
		}
	}
	return l
}

// tooMany is a place that commands may only read, and that is too large for its list;
// empty for none. Where they write, Landlock grants all of it in any case.
func (l listing) tooMany(p Policy) string {
	written := slices.Clone(p.Write)
	if p.Profile != ProfileReadOnly {
		written = append(written, p.Workspace)
	}
	for _, place := range l.many {
		if !slices.ContainsFunc(written, func(dir string) bool { return beneath(place, dir) }) {
			return place
		}
	}
	return ""
}
