package sandbox

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"golang.org/x/sys/unix"
)

// What hides a name is a mount, and the kernel drops it when somebody outside
// renames another file over that name. A holder watches the folders on the way to
// all that its policy hides, and covers what comes there, in its own view, from
// where mounts pass on to those of its places. A command that is as quick sees the
// file for that moment.

// So it is with what is protected, which is read-only again then.

// covers keeps hidden what comes while commands run. A nil *covers does nothing.
type covers struct {
	hidings
	etc  bool // what comes to /etc matters too
	hide func(secret) error
	add  func(folder string) (int, error) // to those that are watched

	fd    int
	names map[string]bool // those on the way to a secret, and of what is protected
	homes map[int]bool    // watches of folders on that way
	etcs  map[int]bool    // watches of folders of /etc

	mu sync.Mutex // a place is made, or something is covered
}

// watched is what happens to a folder when a name in it stands for another file.
const watched = unix.IN_CREATE | unix.IN_MOVED_TO | unix.IN_ATTRIB | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_ONLYDIR

// newCovers watches from now on; nil where nothing that is granted may hold a
// secret. With etc, root's files of /etc are some. It is called before the view is
// entered.
func newCovers(h hidings, etc bool) (*covers, error) {
	c := &covers{hidings: h, etc: etc, hide: func(s secret) error { return s.hide("") }, names: map[string]bool{}, homes: map[int]bool{}, etcs: map[int]bool{}}
	here := func(path string) string { return path }
	ways := c.ways(here)
	if len(ways) == 0 && !c.etc {
		return nil, nil //nolint:nilnil // as it says
	}
	var err error
	if c.fd, err = unix.InotifyInit1(unix.IN_CLOEXEC); err != nil {
		return nil, os.NewSyscallError("inotify_init1", err)
	}
	c.add = func(folder string) (int, error) { return unix.InotifyAddWatch(c.fd, folder, watched) }
	for range maxCovers {
		settled, err := c.follow(here, c.etc)
		if err != nil {
			_ = unix.Close(c.fd)
			return nil, err
		}
		if settled {
			break
		}
	}
	return c, nil
}

// ways are the folders on the way to all that may be a secret, and to where its
// links lead, as far as they are there and granted, each with the name of one. It notes
// the names on the way, and forgets those that were.
func (c *covers) ways(at func(string) string) map[string]string {
	ways := map[string]string{}
	clear(c.names)
	anyLink := func(string) bool { return false }
	for _, key := range c.keys {
		_, _ = walk(key, at, anyLink, func(dir, name string) { // as far as it goes
			path := filepath.Join(dir, name)
			if slices.ContainsFunc(c.binds, func(b bind) bool { return path != b.from && beneath(path, b.from) }) {
				c.names[name] = true
				ways[at(dir)] = key
			}
		})
	}
	for _, path := range c.held {
		c.names[filepath.Base(path)] = true
		if dir := at(filepath.Dir(path)); ways[dir] == "" {
			ways[dir] = "" // it is watched if it can be
		}
	}
	return ways
}

// watch watches folders, no others in homes, and those of /etc if asked to.
func (c *covers) watch(folders map[string]string, etc bool) error {
	homes := map[int]bool{}
	add := func(dir, key string) error {
		id, err := c.add(dir)
		switch {
		case err != nil && key == "":
			return nil
		case errors.Is(err, unix.ENOSPC):
			return &unwatchedError{key, errNoWatches}
		case errors.Is(err, unix.ENOMEM):
			return &unwatchedError{key, err}
		}
		if err != nil {
			return nil //nolint:nilerr // where nobody comes, whatever made it so
		}
		if beneath(dir, "/etc") {
			c.etcs[id] = true
		} else {
			homes[id] = true
		}
		return nil
	}
	for _, dir := range slices.SortedFunc(maps.Keys(folders), func(a, b string) int { return cmp.Compare(folders[b], folders[a]) }) { // secrets first
		if err := add(dir, folders[dir]); err != nil {
			return err
		}
	}
	for id := range c.homes {
		if !homes[id] && !c.etcs[id] { // a command that leads names elsewhere would use up all watches
			_, _ = unix.InotifyRmWatch(c.fd, uint32(id)) // one whose folder is gone is gone too
		}
	}
	c.homes = homes
	if !etc {
		return nil
	}
	return filepath.WalkDir("/etc", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return nil //nolint:nilerr // what there is of it
		}
		return add(path, path)
	})
}

// keep covers what comes, until it cannot, which it returns.
func (c *covers) keep(hangs func(string) string) error {
	var events [16 << 10]byte
	for {
		n, err := unix.Read(c.fd, events[:])
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return os.NewSyscallError("read", err)
		}
		if homes, etc := c.matter(events[:n]); homes || etc {
			if err := c.cover(hangs, etc); err != nil {
				return err
			}
		}
	}
}

// matter reports whether events may be of a secret in a home folder, or in /etc.
func (c *covers) matter(events []byte) (homes, etc bool) {
	for len(events) >= unix.SizeofInotifyEvent {
		watch, mask := int(int32(binary.NativeEndian.Uint32(events))), binary.NativeEndian.Uint32(events[4:])
		end := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(events[12:]))
		name := string(bytes.TrimRight(events[unix.SizeofInotifyEvent:end], "\x00"))
		events = events[end:]
		switch {
		case mask&unix.IN_Q_OVERFLOW != 0:
			return true, c.etc
		case mask&unix.IN_IGNORED != 0: // it is watched no more; what became of the folder was told
		case c.etcs[watch]:
			etc = c.etc
			homes = homes || c.names[name]
		default:
			homes = homes || name == "" || c.names[name]
		}
	}
	return homes, etc
}

// cover hides what is there and is not hidden, until a look finds nothing more:
// somebody may move it meanwhile.
func (c *covers) cover(hangs func(string) string, etc bool) error {
	again := &restlessError{}
	for range maxCovers {
		open, settled, err := c.look(hangs, etc, again)
		if err != nil || !open && settled {
			return err
		}
		if !open {
			again = &restlessError{}
		}
	}
	if again.name == "" { // the folders change, which is told of
		return nil
	}
	return again
}

// look hides what is there and is not hidden, and reports whether there was any, and
// whether the folders that are watched still are those on the way. Between two looks
// places can be made: nobody waits for many of them.
func (c *covers) look(hangs func(string) string, etc bool, again *restlessError) (open, settled bool, _ error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, path := range c.held { // first, because that takes least
		holdAgain(hangs(path))
	}
	settled, err := c.follow(hangs, etc)
	if err != nil {
		return false, false, err
	}
	secrets := c.now(hangs)
	if etc {
		for _, path := range secretsInEtc() {
			secrets = append(secrets, secret{path: path})
		}
	}
	for _, secret := range secrets {
		secret = secret.hung(hangs)
		info, err := os.Lstat(secret.path)
		if err != nil || covered("", info) {
			continue
		}
		open = true
		again.name = cmp.Or(secret.name, secret.path)
		if err := c.hide(secret); err != nil {
			again.err = err
		}
	}
	return open, settled, nil
}

// follow watches what is on the way now, and reports whether it still is: in a folder
// that nobody watched yet another can have come.
func (c *covers) follow(at func(string) string, etc bool) (settled bool, _ error) {
	ways := c.ways(at)
	if err := c.watch(ways, etc); err != nil {
		return false, err
	}
	return maps.EqualFunc(ways, c.ways(at), func(string, string) bool { return true }), nil
}

// unwatchedError is what may come without anybody being told.
type unwatchedError struct {
	name string
	err  error
}

func (e *unwatchedError) Error() string {
	return fmt.Sprintf("%s cannot be kept hidden: nobody is told when it comes: %v", e.name, e.err)
}

func (e *unwatchedError) Unwrap() error { return e.err }

// errNoWatches is what the kernel calls no space left on a device.
var errNoWatches = errors.New("all watches of folders are taken, by commands or by others of their user (fs.inotify.max_user_watches)")

// restlessError is what cannot be hidden as fast as it comes.
type restlessError struct {
	name string
	err  error // the last that stood in the way; nil for none
}

func (e *restlessError) Error() string {
	text := e.name + " cannot be kept hidden: something else comes there again and again"
	if e.err != nil {
		text += ", and " + e.err.Error()
	}
	return text
}

func (e *restlessError) Unwrap() error { return e.err }

// maxCovers is how many looks there are.
const maxCovers = 100

// passOn has the mounts that come in the calling process's view come to those that
// are copied from it.
func (c *covers) passOn() error {
	if c == nil {
		return nil
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_SHARED, ""); err != nil {
		return fmt.Errorf("shared mounts: %w", err)
	}
	return nil
}

// take has a copy of that view take what comes, and give nothing back.
func (c *covers) take() error {
	if c == nil {
		return nil
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_SLAVE, ""); err != nil {
		return fmt.Errorf("sandbox: mounts that follow: %w", err)
	}
	return nil
}

// lock keeps away whoever covers something while a place is made.
func (c *covers) lock() (unlock func()) {
	if c == nil {
		return func() {}
	}
	c.mu.Lock()
	return c.mu.Unlock
}
