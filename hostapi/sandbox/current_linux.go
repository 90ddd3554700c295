package sandbox

import (
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/scriptrun/scriptrun/hostapi/sandbox/landlock"
	"golang.org/x/sys/unix"
)

// Mounts on names hide secrets. When a program outside renames another file over
// such a name, the kernel drops the mount, and a secret that is created later was
// never hidden. So a box is used only as long as its names stand for the same
// files.

// lookout remembers what some names stood for, and watches folders. A nil *lookout
// always holds.
type lookout struct {
	names   []standing
	folders *watch // nil if the system allows no watches
}

// standing is the file that a name stood for, and the one that its link led to.
type standing struct {
	path   string
	folder bool // the time of its last change counts: an entry was made, renamed or removed
	was    [2]fileID
}

// fileID identifies a file for all time, although inode numbers are used again. The
// zero value means no file.
type fileID struct {
	major, minor uint32
	inode        uint64
	made, change unix.StatxTimestamp
}

// newLookout records all that a policy hides, or would hide. The caller closes it.
func newLookout(p Policy) *lookout {
	if p.off() {
		return nil
	}
	folders := []string{"/etc"}
	if unix.Geteuid() == 0 { // root may read whatever appears
		_ = filepath.WalkDir("/etc", func(path string, entry fs.DirEntry, err error) error { // what can be read
			if err == nil && entry.IsDir() && path != "/etc" {
				folders = append(folders, path)
			}
			return nil
		})
	}
	l := &lookout{}
	if _, err := landlock.ABI(); err == nil { // it grants the other entries of these one by one
		folders = append(folders, newListing(p, p.readable(), func(path string) string { return path }).folders...)
	}
	var err error
	if l.folders, err = newWatch(folders); err != nil { // then each is compared
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

// holds reports whether nothing has changed.
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

// identify is the file at a path. If the file system does not record when a file was
// made, the file counts as another one after each change.
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
