package toolchains

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Toolchain is a toolchain that was found.
type Toolchain struct {
	// Name is the program or the version manager, such as "go" or "pyenv".
	Name string
	// Root is the folder in which it is installed, absolute.
	Root string
	// Read are the files and folders that it needs, absolute. They exist, and may be
	// symbolic links.
	Read []string
	// Env are the variables that lead its programs to Root, for commands with another
	// home folder. It may be nil.
	Env map[string]string
}

// Places are the places that commands may write, as a sandbox knows them.
type Places interface {
	// Hold reports whether a path, with its links followed, lies in a place.
	Hold(path string) bool
	// Follow follows the links of an absolute path. It fails if one of them lies in a
	// place, or if the path does not exist.
	Follow(path string) (resolved string, ok bool)
}

// Find looks for toolchains by a PATH and a home folder, which may be empty. It skips
// entries of PATH that are not absolute, and all that is reached through places that
// commands may write: entries of PATH that lie there, and links. The result is sorted
// by name and root.
func Find(path, home string, writable Places) []Toolchain {
	var dirs []string
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if resolved, ok := writable.Follow(dir); ok && !writable.Hold(resolved) {
			dirs = append(dirs, filepath.Clean(dir))
		}
	}
	l := looker{writable}
	if !filepath.IsAbs(home) {
		home = ""
	}
	found := map[string]Toolchain{}
	for _, m := range managers {
		for _, root := range l.managed(m, dirs, home) {
			if t, ok := l.at(m, root); ok {
				found[m.name+"\x00"+root] = t
				break // its variable names one root alone
			}
		}
	}
	for _, p := range programs {
		for _, root := range l.prefixes(p, dirs) {
			if read := l.needs(p, root); len(read) > 0 {
				t := found[p.name+"\x00"+root]
				t.Name, t.Root, t.Read = p.name, root, append(t.Read, read...)
				found[p.name+"\x00"+root] = t
			}
		}
	}
	all := make([]Toolchain, 0, len(found))
	for _, key := range slices.Sorted(maps.Keys(found)) {
		all = append(all, found[key])
	}
	return all
}

// looker finds only paths that commands cannot lead elsewhere.
type looker struct{ Places }

// existing are the paths below root that exist.
func (l looker) existing(root string, names []string) (paths []string) {
	for _, name := range names {
		path := filepath.Join(root, name)
		if l.exists(path) {
			paths = append(paths, path)
		}
	}
	return paths
}

func (l looker) exists(path string) bool {
	_, ok := l.Follow(path)
	return ok
}

// targets are the folders to which links in a folder lead: versions that were built
// elsewhere.
func (l looker) targets(dir string) (paths []string) {
	entries, _ := os.ReadDir(dir) // none if it is not there
	for _, entry := range entries {
		if entry.Type()&os.ModeSymlink == 0 {
			continue
		}
		resolved, ok := l.Follow(filepath.Join(dir, entry.Name()))
		if ok && !strings.HasPrefix(resolved, dir+"/") && l.exists(filepath.Join(resolved, "bin")) {
			paths = append(paths, l.existing(resolved, []string{"bin", "lib", "lib64", "libexec", "include", "share", "pyvenv.cfg"})...)
		}
	}
	return paths
}
