package protect

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/scriptrun/scriptrun/hostapi/upward"
)

// The owner of a folder may remove his own rights on it. A command can do that with a
// folder in which it planted something, so that nothing can be taken out of it.

// allRights are the rights of a folder's owner.
const allRights = 0o700

// allow gives the owner of a folder that was looked at his rights on it until back is called;
// ok is false if he has them, or if the folder is another user's. If root is nil, the name is a
// whole path.
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

// widened adds rights to the mode of the file that was looked at, and to no other that has
// taken its name.
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

// shut gives the owner of folders that are looked into his rights on them, until close. A nil
// *shut does nothing.
type shut struct {
	tops []string // folders in which it does so
	back []func()
}

// open gives the rights on one folder, if they are missing, and reports whether it did.
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

// openTop is open for a folder that commands write in.
func (s *shut) openTop(top string) {
	if info, err := os.Lstat(top); err == nil {
		if back, ok := allow(nil, top, info); ok {
			s.back = append(s.back, back)
		}
	}
}

// close restores the modes.
func (s *shut) close() {
	for _, back := range slices.Backward(s.back) {
		back()
	}
	s.back = nil
}

// modeOf is the part of a mode that can be set.
func modeOf(info fs.FileInfo) fs.FileMode {
	return info.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)
}

// noteModes notes the folders that commands may write on the way to settings and the audit log.
// A folder that is written in cannot be read-only, and a command may take away the rights on it.
func (g *Guard) noteModes(where asked) {
	g.modes = map[string]fs.FileInfo{}
	for _, top := range slices.Concat([]string{g.workspace}, where.further) {
		for _, path := range g.paths.Settings {
			for dir := range upward.Within(top, filepath.Dir(path)) {
				if info, err := os.Lstat(dir); err == nil && info.IsDir() {
					g.modes[dir] = info
				}
			}
		}
	}
}

// restoreModes gives the owner of these folders the rights back that commands took away.
func (g *Guard) restoreModes() {
	for _, dir := range slices.Sorted(maps.Keys(g.modes)) { // those above come first
		was := g.modes[dir]
		now, err := os.Lstat(dir)
		if err != nil || now.Mode().Perm()&was.Mode().Perm()&allRights == was.Mode().Perm()&allRights {
			continue
		}
		if f, ok := widened(nil, dir, was, 0); ok {
			_ = f.Close()
		}
	}
}
