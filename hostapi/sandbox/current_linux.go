package sandbox

import (
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/scriptrun/scriptrun/hostapi/sandbox/landlock"
	"golang.org/x/sys/unix"
)

// What is hidden is hidden by mounts on names. When somebody outside renames
// another file over such a name the kernel drops the mount, and what is made
// later was never hidden. So a box is used only as long as its names stand for
// what they stood for.

// lookout is what some names stood for, and folders that are watched. A nil
// *lookout always holds.
type lookout struct {
	names   []standing
	folders *watch // nil where the system lets nobody watch
}

// standing is what a name stood for: the file, and the one that a link leads to.
type standing struct {
	path   string
	folder bool // its entries matter: when one was made, renamed or removed
	was    [2]fileID
}

// fileID is one file for all time: numbers are given again. The zero value is
// none.
type fileID struct {
	major, minor uint32
	inode        uint64
	made, change unix.StatxTimestamp
}

// newLookout looks at everything that a policy hides, or would. The caller
// closes it.
func newLookout(p Policy) *lookout {
	if p.off() {
		return nil
	}
	folders := []string{"/etc"}
	if unix.Geteuid() == 0 { // who may read whatever comes
		_ = filepath.WalkDir("/etc", func(path string, entry fs.DirEntry, err error) error { // what there is of it
			if err == nil && entry.IsDir() && path != "/etc" {
				folders = append(folders, path)
			}
			return nil
		})
	}
	l := &lookout{}
	if _, err := landlock.ABI(); err == nil { // which grants the rest of these by what is there now
		folders = append(folders, newListing(p, p.readable(), func(path string) string { return path }).folders...)
	}
	var err error
	if l.folders, err = newWatch(folders); err != nil { // then each is looked at
		for _, dir := range folders {
			l.names = append(l.names, standing{path: dir, folder: true})
		}
	}
	all := binds(p)
	for _, key := range homeKeys(p) {
		at := resolved(key)
		if slices.ContainsFunc(all, func(b bind) bool { return beneath(key, b.from) || beneath(at, b.from) }) {
			l.names = append(l.names, standing{path: key})
		}
	}
	for i := range l.names {
		l.names[i].was = l.names[i].now()
	}
	return l
}

// holds reports whether all of it is as it was.
func (l *lookout) holds() bool {
	if l == nil {
		return true
	}
	for i := range l.names {
		if l.names[i].now() != l.names[i].was {
			return false
		}
	}
	return l.folders == nil || l.folders.quiet()
}

// close may be called more than once.
func (l *lookout) close() {
	if l != nil && l.folders != nil {
		l.folders.close()
	}
}

func (s *standing) now() [2]fileID {
	itself := identify(s.path, unix.AT_SYMLINK_NOFOLLOW, s.folder)
	if s.folder || itself == (fileID{}) {
		return [2]fileID{itself}
	}
	return [2]fileID{itself, identify(s.path, 0, false)}
}

// identify is the file at a path. Where a file system does not tell when a file
// was made, it is another one after each change.
func identify(path string, flags int, changes bool) (id fileID) {
	var stat unix.Statx_t
	if unix.Statx(unix.AT_FDCWD, path, flags, unix.STATX_INO|unix.STATX_BTIME|unix.STATX_CTIME, &stat) != nil {
		return fileID{}
	}
	id = fileID{major: stat.Dev_major, minor: stat.Dev_minor, inode: stat.Ino}
	if stat.Mask&unix.STATX_BTIME != 0 {
		id.made = stat.Btime
	} else {
		changes = true
	}
	if changes {
		id.change = stat.Ctime
	}
	return id
}
