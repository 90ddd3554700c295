package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Places are folders and files that commands may write. What lies there says
// nothing of what they may read elsewhere: they could have put a link there.
// The zero Places are none.
type Places struct {
	paths []string
}

// NewPlaces are the places at these absolute paths, by their own names and with
// links followed. Empty ones are passed over.
func NewPlaces(paths ...string) Places {
	var p Places
	for _, path := range paths {
		if !filepath.IsAbs(path) {
			continue
		}
		p.paths = append(p.paths, filepath.Clean(path))
		if resolved, err := filepath.EvalSymlinks(path); err == nil {
			p.paths = append(p.paths, resolved)
		}
	}
	return p
}

// Hold reports whether a path, with its links followed, lies in one of them.
func (p Places) Hold(path string) bool {
	return slices.ContainsFunc(p.paths, func(place string) bool { return beneath(path, place) })
}

// maxLinks is how many symbolic links one path may go through.
const maxLinks = 40

// Follow follows the links of an absolute path. It fails when one of them lies
// in a place, and when the path does not exist.
func (p Places) Follow(path string) (resolved string, ok bool) {
	if resolved, ok = follow(path, func(path string) string { return path }, p.Hold); !ok {
		return "", false
	}
	return resolved, true
}

// LinksOn are the links on the way of an absolute path that lie in one of them, as far as
// the way goes: who may write there can lead the path elsewhere.
func (p Places) LinksOn(path string) (links []string) {
	_, links, _ = p.way(path)
	return links
}

// way is where a path leads, as far as that is there, and those links on it.
func (p Places) way(path string) (to string, links []string, ok bool) {
	to, ok = follow(path, func(path string) string { return path }, func(link string) bool {
		if p.Hold(link) {
			links = append(links, link)
		}
		return false
	})
	return to, links, ok
}

// follow follows the links of an absolute path as the system does, each name of
// which is looked up where at says, up to a link that is refused. Where it fails it
// returns how far it came, with the rest of the names.
func follow(path string, at func(string) string, refused func(link string) bool) (resolved string, ok bool) {
	return walk(path, at, refused, func(string, string) {})
}

// walk is follow, which tells of each name before it is looked up, and of the folder
// that it is in.
func walk(path string, at func(string) string, refused func(link string) bool, step func(dir, name string)) (resolved string, ok bool) {
	rest := strings.Split(path, "/")
	done := "/"
	failed := func() (string, bool) { return filepath.Join(done, strings.Join(rest, "/")), false }
	for links := 0; len(rest) > 0; {
		name := rest[0]
		next := filepath.Join(done, name) // .. is above where links led
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

// resolved is a path with its links followed, as far as it is there.
func resolved(path string) string {
	if at, err := filepath.EvalSymlinks(path); err == nil {
		return at
	}
	return path
}
