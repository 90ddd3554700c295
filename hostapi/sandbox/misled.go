package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Commands can replace a granted path that lies where they may write, by a link to
// something else, which would be granted next time.

// misledError is an entry that cannot be granted because commands may change a link on
// its way.
type misledError struct{ entry, link string }

func (e *misledError) Error() string {
	return fmt.Sprintf("sandbox: %s cannot be granted: the link %s on its way lies where commands may write: "+
		"name the folder itself in the settings, without that link; if you did not make the link, remove it", e.entry, e.link)
}

// places are the places that commands may write, with links followed.
func (p Policy) places() (places Places) {
	for _, path := range p.writable() {
		places.paths = append(places.paths, resolved(path))
	}
	return places
}

// entries checks Read and Write, and returns the entries of Read to grant. Each is
// looked up once: a second time it may be something else. No entry may go through a
// link that commands can change: if the link leads out of their places it is an error,
// otherwise there is nothing to grant. The root folder stands for its entries, except
// those that a view has of its own. An entry in /etc, where secrets are hidden, is
// granted by its real path.
func (p Policy) entries() (read []string, err error) {
	places, writable := p.places(), p.writable()
	for _, entry := range append(writable, p.Read...) {
		to, links, ok := places.Way(entry)
		written := slices.Contains(writable, entry)
		switch {
		case len(links) > 0 && (written || !places.Hold(to)):
			return nil, &misledError{filepath.Clean(entry), links[0]}
		case len(links) > 0, written:
		case ok && to == "/":
			all, _ := os.ReadDir(to) // what can be read
			for _, entry := range all {
				if !slices.Contains([]string{"dev", "proc", "run", "sys", "tmp"}, entry.Name()) {
					read = append(read, filepath.Join(to, entry.Name()))
				}
			}
		case ok && beneath(to, "/etc"):
			read = append(read, to)
		default: // a view follows no link in these places, whatever is there then
			read = append(read, entry)
		}
	}
	return read, nil
}
