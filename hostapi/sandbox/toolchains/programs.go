package toolchains

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// program is one that finds what it needs from the folder in which it lies, once links
// are followed: PREFIX/bin/NAME.
type program struct {
	name string
	// marker is a pattern below the prefix that proves that it is the program's.
	marker string
	// parts are patterns of what it needs below the prefix; "." means all of it, which
	// is for programs with a prefix of their own: a prefix may be ~/.local.
	parts []string
}

var programs = []program{
	{"go", "pkg/tool", []string{"."}},
	{"node", "lib/node_modules/npm", []string{"bin", "include/node", "lib/node_modules"}},
	{"node", "include/node", []string{"bin", "include/node"}},
	{"python3", "lib/python*/os.py", []string{"bin", "include", "lib/libpython*", "lib/python*", "lib64/python*"}},
	{"python3", "pyvenv.cfg", []string{"bin", "lib", "lib64", "pyvenv.cfg"}}, // a virtual environment
	{"python3", "conda-meta", []string{"bin", "conda-meta", "etc", "include", "lib", "libexec", "share", "ssl"}},
	{"java", "lib/modules", []string{"."}},
}

// prefixes are the prefixes of the program that a name on PATH stands for, as named and
// with links followed: a link may lie in an environment of its own.
func (l looker) prefixes(p program, dirs []string) (roots []string) {
	for _, dir := range dirs {
		at := filepath.Join(dir, p.name)
		info, err := os.Stat(at)
		if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
			continue
		}
		resolved, ok := l.Follow(at)
		if !ok {
			continue
		}
		roots = append(roots, filepath.Dir(dir))
		if prefix := filepath.Dir(filepath.Dir(resolved)); prefix != filepath.Dir(dir) {
			roots = append(roots, prefix)
		}
		return roots
	}
	return nil
}

// needs are the parts of a program below a prefix; none if the program is not there.
func (l looker) needs(p program, root string) (paths []string) {
	prefix := os.DirFS(root)
	isThere := func(match string) bool { return l.exists(filepath.Join(root, match)) }
	if marks, _ := fs.Glob(prefix, p.marker); !slices.ContainsFunc(marks, isThere) { // the pattern is valid
		return nil
	}
	for _, part := range p.parts {
		matches, _ := fs.Glob(prefix, part)
		for _, match := range matches {
			if !isThere(match) {
				continue
			}
			paths = append(paths, filepath.Join(root, match))
		}
	}
	return paths
}
