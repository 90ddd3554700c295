package protect

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Whoever owns a folder may take his own rights on it away. A command does that with a
// folder that it planted something in, and nothing could be taken out of it.

// allRights are those of the owner of a folder.
const allRights = 0o700

// rightsOn gives the owner of a folder his rights on it until back is called.
func rightsOn(folder string) (back func()) {
	info, err := os.Stat(folder)
	if err != nil || info.Mode().Perm()&allRights == allRights || os.Chmod(folder, modeOf(info)|allRights) != nil {
		return func() {} // of somebody else, it is used as it is
	}
	return func() { _ = os.Chmod(folder, modeOf(info)) }
}

// shut gives the owner of folders that are looked into his rights on them, until they are
// given back. A nil *shut does nothing.
type shut struct {
	tops []string // in which it does
	back []func()
}

// open gives them on one folder, where they lack, and reports whether it did.
func (s *shut) open(folder string, info fs.FileInfo) bool {
	if s == nil || !info.IsDir() || info.Mode().Perm()&allRights == allRights {
		return false
	}
	for _, top := range s.tops {
		rel := filepath.FromSlash(relTo(top, folder))
		if !filepath.IsLocal(rel) || rel == "." {
			continue
		}
		root, err := os.OpenRoot(top) // nothing outside is opened, whoever moves folders meanwhile
		if err != nil {
			return false
		}
		if root.Chmod(rel, modeOf(info)|allRights) != nil { // it is somebody else's
			_ = root.Close()
			return false
		}
		s.back = append(s.back, func() {
			defer root.Close()
			if now, err := root.Lstat(rel); err == nil && os.SameFile(info, now) { // or it was moved
				_ = root.Chmod(rel, modeOf(info))
			}
		})
		return true
	}
	return false
}

// close gives them back.
func (s *shut) close() {
	for _, back := range slices.Backward(s.back) {
		back()
	}
	s.back = nil
}

// withRights does something again where its owner had no rights on a folder of those from
// the top to the names, or on these, and gives them to him meanwhile.
func withRights(root *os.Root, do func() error, names ...string) error {
	err := do()
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	for _, name := range names {
		for _, folder := range wayTo(name) {
			info, err := root.Lstat(folder)
			if err != nil || !info.IsDir() || info.Mode().Perm()&allRights == allRights || root.Chmod(folder, modeOf(info)|allRights) != nil {
				continue
			}
			defer func() {
				if now, err := root.Lstat(folder); err == nil && os.SameFile(info, now) { // or it was moved
					_ = root.Chmod(folder, modeOf(info))
				}
			}()
		}
	}
	return do()
}

// wayTo are the folders to a name, and the name.
func wayTo(name string) (way []string) {
	for at := filepath.FromSlash(name); at != "." && filepath.IsLocal(at); at = filepath.Dir(at) {
		way = append([]string{at}, way...)
	}
	return way
}

// modeOf is what can be set of a mode.
func modeOf(info fs.FileInfo) fs.FileMode {
	return info.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)
}
