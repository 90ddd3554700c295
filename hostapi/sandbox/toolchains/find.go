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

// Find looks for toolchains by a PATH and a home folder. Entries of PATH that
// are not absolute are passed over; an empty home is none. The result is
// sorted by name and root.
func Find(path, home string) []Toolchain {
	var dirs []string
	for _, dir := range filepath.SplitList(path) {
		if filepath.IsAbs(dir) {
			dirs = append(dirs, filepath.Clean(dir))
		}
	}
	if !filepath.IsAbs(home) {
		home = ""
	}
	found := map[string]Toolchain{}
	for _, m := range managers {
		for _, root := range m.roots(dirs, home) {
			if t, ok := m.at(root); ok {
				found[m.name+"\x00"+root] = t
				break // its variable names one root alone
			}
		}
	}
	for _, p := range programs {
		for _, root := range p.roots(dirs) {
			if read := p.needs(root); len(read) > 0 {
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

// existing are the paths below root that are there.
func existing(root string, names []string) (paths []string) {
	for _, name := range names {
		path := filepath.Join(root, name)
		if exists(path) {
			paths = append(paths, path)
		}
	}
	return paths
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// targets are the folders elsewhere that links in a folder lead to: versions
// that were built somewhere else and made known.
func targets(dir string) (paths []string) {
	entries, _ := os.ReadDir(dir) // none if it is not there
	for _, entry := range entries {
		if entry.Type()&os.ModeSymlink == 0 {
			continue
		}
		resolved, err := filepath.EvalSymlinks(filepath.Join(dir, entry.Name()))
		if err == nil && !strings.HasPrefix(resolved, dir+"/") && exists(filepath.Join(resolved, "bin")) {
			paths = append(paths, existing(resolved, []string{"bin", "lib", "lib64", "libexec", "include", "share", "pyvenv.cfg"})...)
		}
	}
	return paths
}
