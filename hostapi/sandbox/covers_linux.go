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

// A mount hides a secret, and the kernel drops the mount when a program outside
// renames another file over its name. So a holder watches the folders on the way to
// all secrets and hides what appears there, in its own view, whose mounts spread
// to those of its places. A command that is as quick sees the file for a moment.
// In the same way, a file that replaces a protected one becomes read-only again.

// covers hides secrets that appear while commands run. A nil *covers does nothing.
type covers struct {
	hidings
	etc  bool // secrets may appear in /etc too
	hide func(secret) error
	add  func(folder string) (int, error) // watches a folder

	fd    int
	names map[string]bool // names on the way to secrets, and of protected paths
	homes map[int]bool    // watches of folders on that way
	etcs  map[int]bool    // watches of folders of /etc

	mu sync.Mutex // held while a place is made or a secret is hidden
}

// watched are the events after which a name in a folder may stand for another file.
const watched = unix.IN_CREATE | unix.IN_MOVED_TO | unix.IN_ATTRIB | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_ONLYDIR

// newCovers watches from now on; nil if nothing granted may hold a secret. With etc,
// root's files of /etc are secrets too. It must be called before the view is entered.
func newCovers(h hidings, etc bool) (*covers, error) {
	c := &covers{hidings: h, etc: etc, hide: func(s secret) error { return s.hide("") }, names: map[string]bool{}, homes: map[int]bool{}, etcs: map[int]bool{}}
	here := func(path string) string { return path }
	ways := c.ways(here)
	if len(ways) == 0 && !c.etc {
		return nil, nil //nolint:nilnil // there is nothing to watch
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

// ways returns the folders on the way to all possible secrets and to the targets of
// their links, as far as they exist and are granted, each with one secret's name. It
// renews c.names.
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

// watch watches folders and drops the watches of all others in homes. With etc it
// watches the folders of /etc too.
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
			return nil //nolint:nilerr // nobody can get there
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
		if !homes[id] && !c.etcs[id] { // or a command that keeps changing links would use up all watches
			_, _ = unix.InotifyRmWatch(c.fd, uint32(id)) // it fails if the folder is gone
		}
	}
	c.homes = homes
	if !etc {
		return nil
	}
	return filepath.WalkDir("/etc", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return nil //nolint:nilerr // what can be read
		}
		return add(path, path)
	})
}

// keep hides secrets that appear, until it fails.
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

// matter reports whether events may concern a secret in a home folder, or in /etc.
func (c *covers) matter(events []byte) (homes, etc bool) {
	for len(events) >= unix.SizeofInotifyEvent {
		watch, mask := int(int32(binary.NativeEndian.Uint32(events))), binary.NativeEndian.Uint32(events[4:])
		end := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(events[12:]))
		name := string(bytes.TrimRight(events[unix.SizeofInotifyEvent:end], "\x00"))
		events = events[end:]
		switch {
		case mask&unix.IN_Q_OVERFLOW != 0:
			return true, c.etc
		case mask&unix.IN_IGNORED != 0: // the watch is gone; an earlier event said why
		case c.etcs[watch]:
			etc = c.etc
			homes = homes || c.names[name]
		default:
			homes = homes || name == "" || c.names[name]
		}
	}
	return homes, etc
}

// cover hides secrets until look finds none open: somebody may move them meanwhile.
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
	if again.name == "" { // only the folders change, and further events will tell
		return nil
	}
	return again
}

// look hides every open secret. open says whether there were any, and settled whether
// the watched folders are still those on the way. Places can be made between two calls:
// nobody waits for many of them.
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

// follow watches the folders that are on the way now, and reports whether they are
// still the same: in a folder that was not watched yet, another one may have appeared.
func (c *covers) follow(at func(string) string, etc bool) (settled bool, _ error) {
	ways := c.ways(at)
	if err := c.watch(ways, etc); err != nil {
		return false, err
	}
	return maps.EqualFunc(ways, c.ways(at), func(string, string) bool { return true }), nil
}

// unwatchedError is a secret that may appear without the system reporting it.
type unwatchedError struct {
	name string
	err  error
}

func (e *unwatchedError) Error() string {
	return fmt.Sprintf("%s cannot be kept hidden: the system does not report when it is replaced: %v", e.name, e.err)
}

func (e *unwatchedError) Unwrap() error { return e.err }

// errNoWatches is the kernel's ENOSPC, "no space left on device".
var errNoWatches = errors.New("commands or other programs of their user have taken all watches of folders (fs.inotify.max_user_watches)")

// restlessError is a secret that is replaced faster than it can be hidden.
type restlessError struct {
	name string
	err  error // the last failure to hide it; nil for none
}

func (e *restlessError) Error() string {
	text := e.name + " cannot be kept hidden: it is replaced again and again"
	if e.err != nil {
		text += ", and " + e.err.Error()
	}
	return text
}

func (e *restlessError) Unwrap() error { return e.err }

// maxCovers limits the passes of cover.
const maxCovers = 100

// passOn makes new mounts of the calling process's view spread to its copies.
func (c *covers) passOn() error {
	if c == nil {
		return nil
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_SHARED, ""); err != nil {
		return fmt.Errorf("shared mounts: %w", err)
	}
	return nil
}

// take makes such a copy receive new mounts, and pass none back.
func (c *covers) take() error {
	if c == nil {
		return nil
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_SLAVE, ""); err != nil {
		return fmt.Errorf("sandbox: mounts that follow: %w", err)
	}
	return nil
}

// lock stops look while a place is made.
func (c *covers) lock() (unlock func()) {
	if c == nil {
		return func() {}
	}
	c.mu.Lock()
	return c.mu.Unlock
}
