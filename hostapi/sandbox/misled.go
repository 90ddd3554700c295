package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// What is granted, and lies where commands may write, is theirs to replace: by a link to
// something else, which would be granted next time.

// misledError is why an entry grants nothing: a link on its way that commands may change.
type misledError struct{ entry, link string }

func (e *misledError) Error() string {
	return fmt.Sprintf("sandbox: %s is to be granted, and leads elsewhere by the link %s, which lies where commands may write: "+
		"name in the settings the folder that you mean, by a path without that link; if the link is not yours, remove it", e.entry, e.link)
}

// places are those that commands may write, with links followed.
func (p Policy) places() (places Places) {
	for _, path := range p.writable() {
		places.paths = append(places.paths, resolved(path))
	}
	return places
}

// misled is the first entry that such a link leads out of all these places; nil for none.
func (p Policy) misled() error {
	places, writable := p.places(), p.writable()
	for _, entry := range append(writable, p.Read...) {
		links, to := places.LinksOn(entry), resolved(entry)
		if len(links) > 0 && (slices.Contains(writable, entry) || !places.Hold(to)) {
			return &misledError{filepath.Clean(entry), links[0]}
		}
	}
	return nil
}

// entries are those of Read. The root folder is what lies in it, but for what a view has of
// its own; and what lies in /etc, where secrets are hidden, has no other name.
func (p Policy) entries() (paths []string) {
	for _, path := range p.Read {
		at := resolved(path)
		switch {
		case at == "/":
			all, _ := os.ReadDir(at) // what there is of it
			for _, entry := range all {
				if !slices.Contains([]string{"dev", "proc", "run", "sys", "tmp"}, entry.Name()) {
					paths = append(paths, filepath.Join(at, entry.Name()))
				}
			}
		case beneath(at, "/etc"):
			paths = append(paths, at)
		default:
			paths = append(paths, path)
		}
	}
	return paths
}
