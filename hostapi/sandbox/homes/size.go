package homes

import (
	"os"
	"path"
	"strconv"
)

// A command may make a tree in its home so deep that each step of a path to its end
// counts. So a path begins at an open folder that is some steps above.

// stride is how many steps a path has at most, and mostOpen how many folders are open at
// once: what lies deeper than both allow is not counted.
const (
	stride   = 64
	mostOpen = 512
)

// opened is an open folder at which paths begin.
type opened struct {
	root *os.Root
	uses int // paths that begin there and are not looked at yet
}

// ahead is a folder to look at.
type ahead struct {
	from  *opened
	path  string
	steps int
}

// size adds up the lengths of a home's files and folders, as far as they can be read. It follows no
// links.
func size(home string) (bytes int64) {
	root, err := open(home)
	if err != nil {
		return 0
	}
	top := &opened{root: root, uses: 1}
	next, open := []ahead{{top, ".", 0}}, 1
	for len(next) > 0 {
		at := next[len(next)-1]
		next = next[:len(next)-1]
		from, steps := at.from, at.steps
		if steps >= stride && open < mostOpen {
			if root, err := from.below(at.path); err == nil {
				from, steps = &opened{root: root}, 0
				open++
			}
		}
		if steps < stride {
			found, folders := from.look(at, steps)
			bytes += found
			next = append(next, folders...)
		}
		if from != at.from && from.uses == 0 {
			_ = from.root.Close()
			open--
		}
		if at.from.uses--; at.from.uses == 0 {
			_ = at.from.root.Close()
			open--
		}
	}
	return bytes
}

// below opens a folder as a root. A root keeps the path by which it was opened and copies
// it with each name, so a short one is taken where the system has it.
func (o *opened) below(path string) (*os.Root, error) {
	if f, err := o.root.Open(path); err == nil {
		defer f.Close()
		if root, err := os.OpenRoot("/proc/self/fd/" + strconv.Itoa(int(f.Fd()))); err == nil {
			return root, nil
		}
	}
	return o.root.OpenRoot(path)
}

// look adds up the files in one folder, and lists the folders in it.
func (o *opened) look(at ahead, steps int) (bytes int64, folders []ahead) {
	name := at.path
	if o != at.from {
		name = "."
	}
	f, err := o.root.Open(name)
	if err != nil {
		return 0, nil // unreadable folders are skipped
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil { // a tree of nothing else takes space too
		bytes += info.Size()
	}
	entries, _ := f.ReadDir(-1) // as far as it can be read
	for _, entry := range entries {
		if entry.IsDir() {
			folders = append(folders, ahead{o, path.Join(name, entry.Name()), steps + 1})
			o.uses++
		} else if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
	}
	return bytes, folders
}
