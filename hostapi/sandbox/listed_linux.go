package sandbox

import (
	"os"
	"path/filepath"
	"slices"
)

// Landlock grants files, not names. Where a secret is or may come, it grants the other
// entries of the folder one by one; no command reads a secret there, whoever puts it.

// maxListed is how many entries of a place are granted one by one; for that many, each
// place that starts commands takes some 50 ms. Beyond it the place is granted as a
// whole, only mounts hide its secrets, and a measure says so.
const maxListed = 16384

// listing is what commands may read, without possible secrets.
type listing struct {
	paths   []string // to read
	folders []string // whose entries are granted one by one
	many    []string // places with more entries than maxListed
}

// newListing lists the places that commands may read, with links followed; at maps a
// path to where it is looked up.
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
				// The target of a link needs a grant of its own.
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
			continue // a missing place grants nothing
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

// tooMany is a place with too many entries that commands may only read; empty for none.
// Places that they may write are granted as a whole in any case.
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
