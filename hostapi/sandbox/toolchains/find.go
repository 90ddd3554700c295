package toolchains

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Toolchain is one that was found.
type Toolchain struct {
	// Name is that of the program or of the version manager, such as "go" or
	// "pyenv".
	Name string
	// Root is the folder that it is installed in, absolute.
	Root string
	// Read are the folders and files that it needs, absolute. They exist, and may
	// be symbolic links.
	Read []string
	// Env are the variables by which its programs find Root, for commands that
	// have another home folder. It may be nil.
	Env map[string]string
}

// Places are what commands may write, as a sandbox knows it.
type Places interface {
	// Hold reports whether a path, with its links followed, lies in one.
	Hold(path string) bool
	// Follow follows the links of an absolute path. It fails when one of them
	// lies in a place, and when the path does not exist.
	Follow(path string) (resolved string, ok bool)
}

// Find looks for toolchains by a PATH and a home folder. Entries of PATH that
// are not absolute are passed over, and so is whatever is reached through
// what commands may write: entries of PATH that lie there, and links. An empty
// home is none. The result is sorted by name and root.
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

// looker looks at what is reached through nothing that commands may write.
type looker struct{ Places }

// existing are the paths below root that are there.
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

// targets are the folders elsewhere that links in a folder lead to: versions
// that were built somewhere else and made known.
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
