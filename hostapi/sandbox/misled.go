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

// entries are those of Read, each of which is looked at once: what is there at a second look
// may be another thing. None goes by such a link: where that leads out of all these places, it is
// an error; else there is nothing to grant. The root folder is what lies in it, but for what a view
// has of its own; and what lies in /etc, where secrets are hidden, has no other name.
func (p Policy) entries() (read []string, err error) {
	places, writable := p.places(), p.writable()
	for _, entry := range append(writable, p.Read...) {
		to, links, ok := places.way(entry)
		written := slices.Contains(writable, entry)
		switch {
		case len(links) > 0 && (written || !places.Hold(to)):
			return nil, &misledError{filepath.Clean(entry), links[0]}
		case len(links) > 0, written:
		case ok && to == "/":
			all, _ := os.ReadDir(to) // what there is of it
			for _, entry := range all {
				if !slices.Contains([]string{"dev", "proc", "run", "sys", "tmp"}, entry.Name()) {
					read = append(read, filepath.Join(to, entry.Name()))
				}
			}
		case ok && beneath(to, "/etc"):
			read = append(read, to)
		default: // a view follows no link in these places, whatever is there by then
			read = append(read, entry)
		}
	}
	return read, nil
}
