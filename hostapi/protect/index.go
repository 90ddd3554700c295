package protect

import (
	"encoding/hex"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/regular"
)

// The index of a repository names the repositories below it that git enters
// by itself: git status there runs git in each.

// indexes are the indexes that were read, by file, so that each is read once.
type indexes map[string]readIndex

type readIndex struct {
	id   fileID
	also []int // entries that another index makes repositories
	gitlinks
}

// links are the repositories that the index in a repository's folder names, also if it is in
// two parts. looked is called with each file, and whether all of it was read.
func (x indexes) links(e *effort, git string, hashSize int, looked func(file string, whole bool)) (all []string) {
	var also []int
	for name := "index"; name != ""; {
		file := filepath.Join(git, name)
		id, err := idOf(file)
		if err != nil {
			return all
		}
		read := x.read(e, file, id, hashSize, also)
		looked(file, read.whole)
		all = append(all, read.paths...)
		if name != "index" {
			return all // git reads no third
		}
		name, also = "", read.replaced
		if read.shared != nil {
			name = "sharedindex." + hex.EncodeToString(read.shared)
		}
	}
	return all
}

func (x indexes) read(e *effort, file string, id fileID, hashSize int, also []int) readIndex {
	if read, ok := x[file]; ok && read.id == id && id.changed != 0 && slices.Equal(read.also, also) {
		return read
	}
	read := readIndex{id: id, also: also}
	if info, err := os.Lstat(file); err == nil && info.Mode()&os.ModeSymlink != 0 {
		return read // its target may change without it
	}
	f, err := regular.Open(file)
	if err != nil {
		read.whole = !errors.Is(err, os.ErrPermission) // git cannot read anything but a file
		return read
	}
	defer f.Close()
	at := time.Now()
	read.gitlinks = readGitlinks(e.reader(f), hashSize, also)
	if read.whole && id.settled(at) {
		x[file] = read
	}
	return read
}

// keep forgets the indexes that a look did not reach.
func (x indexes) keep(seen map[string]fileID) {
	maps.DeleteFunc(x, func(file string, _ readIndex) bool { _, ok := seen[file]; return !ok })
}

// linked looks at the repositories that git enters from one.
func (l *look) linked(git, top string) {
	index := filepath.Join(git, "index")
	held, changed := false, int64(0)
	links := l.indexes.links(l.effort, git, hashSizeOf(git), func(file string, whole bool) {
		l.stamp(file)
		if changed = max(changed, l.stamps[file].latest()); !whole {
			l.addAnyway(file, ofGit(""), gitPart)
			held = held || file == index
		}
	})
	for _, link := range links {
		if !l.effort.step(link) {
			break
		}
		dir := filepath.Join(top, filepath.FromSlash(link))
		if !filepath.IsLocal(filepath.FromSlash(link)) {
			continue
		}
		if _, ok := l.links[dir]; ok {
			continue
		}
		l.links[dir] = changed
		if !l.reaches(top, dir) {
			continue
		}
		if _, err := os.Lstat(filepath.Join(dir, gitFolder)); err == nil {
			l.pin(dir)
			l.folder(dir)
		}
	}
	if l.effort.steps <= 0 && !held { // git would go further than this look
		l.addAnyway(index, ofGit(""), gitPart)
	}
}

// reaches looks at the folders from one down to another, and reports whether all exist; git
// goes through no link.
func (l *look) reaches(top, dir string) bool {
	at := top
	for name := range strings.SplitSeq(filepath.ToSlash(relTo(top, dir)), "/") {
		at = filepath.Join(at, name)
		if !l.stamp(at) {
			return false
		}
	}
	return true
}
