// Package upward walks from a path to the folders around it. Every walk ends, whatever
// the caller asks of a folder: the root folder is the parent of itself, so a loop over
// filepath.Dir that waits for something else may never end there.
package upward

import (
	"iter"
	"path"
	"path/filepath"
)

// From yields a path, cleaned, and then each folder around it, the nearest first. The
// last one is the root folder of an absolute path, and "." of another. It looks at no
// file, and follows no link.
func From(at string) iter.Seq[string] { return walk(filepath.Clean(at), filepath.Dir) }

// FromSlash is From for a path with slashes on every system, as package path has them.
func FromSlash(at string) iter.Seq[string] { return walk(path.Clean(at), path.Dir) }

// Within yields what From does, as far as it lies in the folder top; the last one is top,
// cleaned. It yields nothing if the path does not lie there. Both paths are absolute, or
// relative to the same folder.
func Within(top, at string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for folder := range From(at) {
			rel, err := filepath.Rel(top, folder)
			if err != nil || !filepath.IsLocal(rel) || !yield(folder) || rel == "." {
				return
			}
		}
	}
}

// walk ends where a folder is its own parent.
func walk(at string, parent func(string) string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for yield(at) {
			up := parent(at)
			if up == at {
				return
			}
			at = up
		}
	}
}
