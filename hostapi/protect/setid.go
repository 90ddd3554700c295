package protect

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/regular"
)

// A file may have a mode by which it runs as its owner, whoever starts it. A command of
// root that writes another program into it gives root's rights to everybody. The kernel
// takes the mode away at a write, but not at a write through a mapping of the file, so
// such files are read-only for root's commands.

// setIDReason is why they are protected.
const setIDReason = "it runs as its owner, whoever starts it"

// setIDFiles is how many files of folders that changed one search looks at: it takes some
// two microseconds for each.
const setIDFiles = 20_000

// runsAsOwner reports whether a file's mode is such a one.
func runsAsOwner(info fs.FileInfo) bool {
	return info.Mode().IsRegular() && info.Mode()&(fs.ModeSetuid|fs.ModeSetgid) != 0
}

// setID notes a file of a folder that is read, if it runs as its owner.
func (s *seeker) setID(entry os.DirEntry, of *seekRead) {
	if s.modes <= 0 || !entry.Type().IsRegular() {
		return
	}
	s.modes--
	if info, err := entry.Info(); err == nil && runsAsOwner(info) {
		of.setIDs = append(of.setIDs, entry.Name())
	}
}

// setIDs are the files found in folders that commands of root may write.
func (g *Guard) setIDs() (paths []string) {
	read := sought{}
	maps.Copy(read, g.allSought())
	maps.Copy(read, g.setIDsInGit())
	for _, dir := range slices.Sorted(maps.Keys(read)) {
		for _, name := range read[dir].setIDs {
			paths = append(paths, filepath.Join(dir, name))
		}
	}
	return paths
}

// setIDsInGit reads the repositories' own folders, in which nobody seeks repositories, but for
// the folders of objects: git names those files itself.
func (g *Guard) setIDsInGit() sought {
	read, s := sought{}, seeker{}
	if os.Geteuid() != 0 {
		return read
	}
	s.modes = setIDFiles
	next := slices.Clone(g.asked.git)
	for _, top := range slices.Concat([]string{g.workspace}, g.asked.further, g.asked.folders) {
		next = append(next, filepath.Join(top, gitFolder))
	}
	for ; len(next) > 0 && s.modes > 0; next = next[1:] {
		dir := next[0]
		info, err := os.Lstat(dir)
		if s.modes--; err != nil || !info.IsDir() {
			continue
		}
		was, id := g.inGit[dir], idFrom(info)
		if !was.holds(id) {
			was = seekRead{id: id, at: time.Now(), entries: map[string]origin{}}
			_, _ = regular.Each(dir, func(entry os.DirEntry) bool { // as far as it can be read
				if s.setID(entry, &was); entry.IsDir() {
					was.entries[entry.Name()] = origin{}
				}
				return s.modes > 0
			})
		}
		read[dir] = was
		for _, name := range slices.Sorted(maps.Keys(was.entries)) {
			if filepath.Base(dir) != "objects" || !isFan(name) {
				next = append(next, filepath.Join(dir, name))
			}
		}
	}
	g.inGit = read
	return read
}

// holdSetIDs holds those that still run as their owner.
func (v *Visit) holdSetIDs(k *kept) (held []candidate) {
	for _, path := range v.guard.setIDs() {
		info, err := os.Lstat(path)
		if _, has := k.paths[path]; has || err != nil || !runsAsOwner(info) {
			continue
		}
		k.paths[path], v.by[path] = false, why{setIDReason, ""}
		held = append(held, candidate{why: why{setIDReason, ""}, path: path, to: path, id: idFrom(info)})
	}
	return held
}
