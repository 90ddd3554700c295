package protect

import (
	"path/filepath"
	"strings"
)

// folderTree is a list of absolute, clean folders that tells whether a path lies in one of
// them. The time for that does not grow with the list, which commands can make long.
type folderTree struct {
	listed bool
	below  map[string]*folderTree
}

func treeOf(lists ...[]string) *folderTree {
	t := &folderTree{}
	for _, list := range lists {
		for _, folder := range list {
			t.add(folder)
		}
	}
	return t
}

func (t *folderTree) add(folder string) {
	for name := range strings.SplitSeq(filepath.ToSlash(folder), "/") {
		if name == "" {
			continue
		}
		if t.below == nil {
			t.below = map[string]*folderTree{}
		}
		if t.below[name] == nil {
			t.below[name] = &folderTree{}
		}
		t = t.below[name]
	}
	t.listed = true
}

// holds reports whether a path is one of the folders, or lies in one.
func (t *folderTree) holds(path string) bool {
	for name := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if t.listed {
			return true
		}
		if name == "" {
			continue
		}
		if t = t.below[name]; t == nil {
			return false
		}
	}
	return t.listed
}
