package protect

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Whoever owns a folder may take his own rights on it away. A command does that with a
// folder that it planted something in, and nothing could be taken out of it.

// allRights are those of the owner of a folder.
const allRights = 0o700

// allow gives the owner of a folder that was looked at his rights on it until back is
// called; ok is false where he has them, or it is another's. The name is a whole path
// where root is nil.
func allow(root *os.Root, name string, info fs.FileInfo) (back func(), ok bool) {
	if !info.IsDir() || info.Mode().Perm()&allRights == allRights {
		return nil, false
	}
	f, ok := widened(root, name, info, allRights)
	if !ok {
		return nil, false
	}
	return func() {
		_ = chmod(f, modeOf(info))
		_ = f.Close()
	}, true
}

// widened adds to the mode of what was looked at, and to that of nothing else that stands
// at its name since.
func widened(root *os.Root, name string, info fs.FileInfo, rights fs.FileMode) (*os.File, bool) {
	f, err := steady(root, name)
	if err != nil {
		return nil, false
	}
	if now, err := f.Stat(); err != nil || !os.SameFile(info, now) || chmod(f, modeOf(info)|rights) != nil {
		_ = f.Close()
		return nil, false
	}
	return f, true
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
		if rel := relTo(top, folder); rel == "." || !filepath.IsLocal(rel) {
			continue
		}
		in, err := openPlace(top, filepath.Dir(folder))
		if err != nil {
			return false
		}
		defer in.close()
		back, ok := allow(in.Root, filepath.Base(folder), info)
		if ok {
			s.back = append(s.back, back)
		}
		return ok
	}
	return false
}

// openTop is open of a folder that commands write in.
func (s *shut) openTop(top string) {
	if info, err := os.Lstat(top); err == nil {
		if back, ok := allow(nil, top, info); ok {
			s.back = append(s.back, back)
		}
	}
}

// close gives them back.
func (s *shut) close() {
	for _, back := range slices.Backward(s.back) {
		back()
	}
	s.back = nil
}

// modeOf is what can be set of a mode.
func modeOf(info fs.FileInfo) fs.FileMode {
	return info.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)
}
