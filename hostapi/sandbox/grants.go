package sandbox

import (
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
)

// grants are what a box is opened for, beside the system's folders: the
// folders of the operator's PATH, and toolchains. Nothing of HOME is, unless
// one of these lies there.
type grants struct {
	path, home string
	toolchains []string
}

func (p Policy) grants() grants { return grants{path: p.Path, home: p.Home, toolchains: p.Toolchains} }

// homes are the home folders whose secrets are kept, resolved and as they are
// named: that of the variable, and that of the system's user.
func (g grants) homes() []string {
	named := []string{g.home}
	if u, err := user.Current(); err == nil {
		named = append(named, u.HomeDir)
	}
	var homes []string
	for _, home := range named {
		if !filepath.IsAbs(home) || filepath.Clean(home) == "/" {
			continue
		}
		homes = append(homes, filepath.Clean(home))
		if resolved, err := filepath.EvalSymlinks(home); err == nil {
			homes = append(homes, resolved)
		}
	}
	slices.Sort(homes)
	return slices.Compact(homes)
}

// named are the folders of PATH and the toolchains that a command may read,
// each with its links followed. One that is a home folder or holds one is left
// out, and so is what is reached through a place that commands may write: they
// could put a link there.
func (g grants) named(writable []string) map[string]string {
	homes := g.homes()
	named := map[string]string{}
	for _, dir := range append(filepath.SplitList(g.path), g.toolchains...) {
		if !filepath.IsAbs(dir) {
			continue
		}
		resolved, ok := resolveOutside(dir, writable)
		holdsHome := slices.ContainsFunc(homes, func(home string) bool { return beneath(home, resolved) })
		if ok && resolved != "/" && !holdsHome {
			named[filepath.Clean(dir)] = resolved
		}
	}
	return named
}

// maxLinks is how many symbolic links one path may go through.
const maxLinks = 40

// resolveOutside follows the links of an absolute path. It fails when one of
// them lies in a writable place, and when the path does not exist.
func resolveOutside(path string, writable []string) (resolved string, ok bool) {
	rest := strings.Split(strings.Trim(filepath.Clean(path), "/"), "/")
	done := "/"
	for links := 0; len(rest) > 0; {
		next := filepath.Join(done, rest[0])
		info, err := os.Lstat(next)
		if err != nil {
			return "", false
		}
		if info.Mode()&os.ModeSymlink == 0 {
			done, rest = next, rest[1:]
			continue
		}
		if links++; links > maxLinks || slices.ContainsFunc(writable, func(place string) bool { return beneath(next, place) }) {
			return "", false
		}
		target, err := os.Readlink(next)
		if err != nil {
			return "", false
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(done, target)
		}
		rest = append(strings.Split(strings.Trim(filepath.Clean(target), "/"), "/"), rest[1:]...)
		done = "/"
	}
	return done, true
}

// beneath reports whether path is dir or beneath it.
func beneath(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// outermost drops paths that lie beneath others, and those that are not there.
func outermost(paths []string) (kept []string) {
	for i, path := range paths {
		covered := false
		for j, other := range paths {
			covered = covered || beneath(path, other) && (path != other || j < i)
		}
		if _, err := os.Lstat(path); err == nil && !covered && strings.HasPrefix(path, "/") {
			kept = append(kept, path)
		}
	}
	return kept
}
