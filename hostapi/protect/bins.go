package protect

import (
	"os"
	"path/filepath"
)

// bins are what is not looked into because of what it is: each trash in which no command
// that runs can write, and what was put away meanwhile.
type bins struct {
	tops map[string]bool // where commands write
	held map[string]bool
	ours map[string]origin // folders that were put away
}

// enter tells of a command that writes in some folders. A trash that is there before any
// command writes around it is held from all of them. With first none runs.
func (b *bins) enter(first bool, tops []string) {
	if first || b.tops == nil {
		ours := b.ours
		*b = bins{tops: map[string]bool{}, held: map[string]bool{}, ours: map[string]origin{}}
		for folder, put := range ours {
			if filepath.Base(filepath.Dir(folder)) != Trash && put == originOf(folder) { // it could not be moved there
				b.ours[folder] = put
			}
		}
	}
	for _, top := range tops {
		if b.tops[top] {
			continue
		}
		b.tops[top] = true
		trash := filepath.Join(top, Trash)
		if info, err := os.Lstat(trash); err == nil && info.IsDir() {
			b.held[trash] = true
		}
	}
}

// putAway notes a folder that is known for what it is.
func (b *bins) putAway(folder string) {
	if b.ours == nil {
		b.ours = map[string]origin{}
	}
	b.ours[folder] = originOf(folder)
}

// knows reports whether a folder is one of them.
func (b *bins) knows(folder string) bool {
	if b == nil {
		return false
	}
	put, ok := b.ours[folder]
	return b.held[folder] || ok && put == originOf(folder)
}
