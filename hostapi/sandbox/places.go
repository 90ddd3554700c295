package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Places are files and folders that commands may write. Paths through them do not
// decide what commands may read elsewhere: a command could have put a link there. The
// zero value has none.
type Places struct {
	paths []string
}

// NewPlaces returns the places at these absolute paths, as named and with links
// followed as far as they exist. It skips paths that are not absolute.
func NewPlaces(paths ...string) Places {
	var p Places
	for _, path := range paths {
		if !filepath.IsAbs(path) {
			continue
		}
		p.paths = append(p.paths, filepath.Clean(path))
		if to := Lead(path); to != p.paths[len(p.paths)-1] {
			p.paths = append(p.paths, to)
		}
	}
	return p
}

// Lead is where an absolute path leads, with its links followed as far as it exists. What
// commands may write, and what they must not, are compared by that: a folder has another
// name by each link to it.
func Lead(path string) string {
	to, _ := follow(path, func(path string) string { return path }, func(string) bool { return false })
	return to
}

// Hold reports whether a path lies in one of the places, as it is named or with its links
// followed as far as it exists.
func (p Places) Hold(path string) bool {
	return p.holds(path) || len(p.paths) > 0 && p.holds(Lead(path))
}

// holds is Hold for a path as it is named.
func (p Places) holds(path string) bool {
	return slices.ContainsFunc(p.paths, func(place string) bool { return beneath(path, place) })
}

// maxLinks is how many symbolic links one path may go through.
const maxLinks = 40

// Follow follows the links of an absolute path. It fails if one of the links lies in a
// place, or if the path does not exist.
func (p Places) Follow(path string) (resolved string, ok bool) {
	if resolved, ok = follow(path, func(path string) string { return path }, p.holds); !ok {
		return "", false
	}
	return resolved, true
}

// LinksOn returns the links on the way of an absolute path that lie in a place, and are not one
// themselves, as far as the path exists: whoever may write there can lead the path elsewhere.
func (p Places) LinksOn(path string) (links []string) {
	_, links, _ = p.Way(path)
	return links
}

// Way returns where an absolute path leads, as far as it exists, and the links of LinksOn, both of
// one look: whoever writes meanwhile makes neither fit another. ok is false for a path that does
// not exist.
func (p Places) Way(path string) (to string, links []string, ok bool) {
	to, ok = follow(path, func(path string) string { return path }, func(link string) bool {
		if p.holds(filepath.Dir(link)) { // a place may be a link itself, and stays
			links = append(links, link)
		}
		return false
	})
	return to, links, ok
}

// follow follows the links of an absolute path as the system does, up to a link that is
// refused; at maps each path to where it is looked up. If follow fails, it returns how
// far it came, with the rest of the names.
func follow(path string, at func(string) string, refused func(link string) bool) (resolved string, ok bool) {
	return walk(path, at, refused, func(string, string) {})
}

// walk is follow, and calls step before each name is looked up.
func walk(path string, at func(string) string, refused func(link string) bool, step func(dir, name string)) (resolved string, ok bool) {
	rest := strings.Split(path, "/")
	done := "/"
	failed := func() (string, bool) { return filepath.Join(done, strings.Join(rest, "/")), false }
	for links := 0; len(rest) > 0; {
		name := rest[0]
		next := filepath.Join(done, name) // after a link, .. is the parent of its target
		if name == "" || name == "." || name == ".." {
			done, rest = next, rest[1:]
			continue
		}
		step(done, name)
		info, err := os.Lstat(at(next))
		if err != nil {
			return failed()
		}
		if info.Mode()&os.ModeSymlink == 0 {
			done, rest = next, rest[1:]
			continue
		}
		if links++; links > maxLinks || refused(next) {
			return failed()
		}
		target, err := os.Readlink(at(next))
		if err != nil {
			return failed()
		}
		if filepath.IsAbs(target) {
			done = "/"
		}
		rest = append(strings.Split(target, "/"), rest[1:]...)
	}
	return done, true
}

// resolved is a path with its links followed, or the path itself if it does not exist.
func resolved(path string) string {
	if at, err := filepath.EvalSymlinks(path); err == nil {
		return at
	}
	return path
}
