package protect

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/regular"
)

// The index of a repository names the repositories below it that git goes into
// by itself: git status there runs git in each.

// Bounds of an index that is read: bytes, repositories that it names, and the
// bytes of a name. What is beyond them is not git's to use either.
const (
	maxIndex = 256 << 20
	maxLinks = 10_000
	maxName  = 4096
)

const (
	indexMagic   = "DIRC"
	indexMode    = 24 // where the mode is in an entry
	indexStat    = 40 // what is before the object's name
	modeGitlink  = 0o160000
	flagExtended = 0x4000
)

// gitlinks are the paths of an index that are repositories of their own. What git
// cannot read has none; whole is false for what is beyond bounds.
func gitlinks(index []byte, hashSize int) (paths []string, whole bool) {
	if len(index) < 12 || string(index[:4]) != indexMagic {
		return nil, true
	}
	version, entries := binary.BigEndian.Uint32(index[4:]), binary.BigEndian.Uint32(index[8:])
	rest, name := index[12:], []byte(nil)
	for range entries {
		head := indexStat + hashSize + 2
		if len(rest) < head+1 {
			return paths, true
		}
		mode := binary.BigEndian.Uint32(rest[indexMode:])
		if binary.BigEndian.Uint16(rest[head-2:])&flagExtended != 0 {
			head += 2
		}
		after := rest[min(head, len(rest)):]
		if version == 4 { // the name is told by what it shares with the one before
			drop, n := offset(after)
			if n == 0 || drop > len(name) {
				return paths, true
			}
			name, after = name[:len(name)-drop], after[n:]
		} else {
			name = name[:0]
		}
		end := bytes.IndexByte(after, 0)
		if end < 0 {
			return paths, true
		}
		if name = append(name, after[:end]...); len(name) > maxName || len(paths) > maxLinks {
			return paths, false
		}
		if mode == modeGitlink {
			paths = append(paths, string(name))
		}
		size := len(rest) - len(after) + end + 1
		if version != 4 {
			size = (head + end + 8) / 8 * 8
		}
		if size > len(rest) {
			return paths, true
		}
		rest = rest[size:]
	}
	return paths, true
}

// offset is a number as packs and indexes hold it, and how many bytes it takes.
func offset(b []byte) (value, n int) {
	for i, c := range b[:min(len(b), 5)] {
		if i > 0 {
			value++
		}
		value = value<<7 | int(c&0x7f)
		if c&0x80 == 0 {
			return value, i + 1
		}
	}
	return 0, 0
}

// indexes are what was read, by file, so that it is read once.
type indexes map[string]readIndex

type readIndex struct {
	id    fileID
	links []string
	whole bool
}

// links are those of a repository's folder, also where its index is in two
// parts. looked is told of each file, and whether all of it was read.
func (x indexes) links(git string, hashSize int, looked func(file string, whole bool)) (all []string) {
	files, _ := filepath.Glob(filepath.Join(escaped(git), "sharedindex.*")) // the pattern is a good one
	for _, file := range append(files, filepath.Join(git, "index")) {
		id, err := idOf(file)
		if err != nil {
			continue
		}
		read, ok := x[file]
		if !ok || read.id != id || id.changed == 0 {
			read = readIndex{id: id}
			if text, err := regular.Read(file, maxIndex); err == nil {
				read.links, read.whole = gitlinks(text, hashSize)
			}
			x[file] = read
		}
		looked(file, read.whole)
		all = append(all, read.links...)
	}
	return all
}

// escaped is a path as a pattern that matches nothing else.
func escaped(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// linked looks at the repositories that git goes into from one.
func (l *look) linked(git, top string) {
	hashSize := 20
	if text, _ := readSmall(filepath.Join(git, "config")); strings.Contains(strings.ToLower(text), "sha256") {
		hashSize = 32
	}
	links := l.indexes.links(git, hashSize, func(file string, whole bool) {
		if l.stamp(file); !whole {
			l.add(file, gitReason, gitPart)
		}
	})
	for _, link := range links {
		dir := filepath.Join(top, filepath.FromSlash(link))
		if !filepath.IsLocal(filepath.FromSlash(link)) || l.links[dir] {
			continue
		}
		l.links[dir] = true
		for at := dir; len(at) > len(top); at = filepath.Dir(at) {
			if l.stamp(at) {
				break
			}
		}
		if _, err := os.Lstat(filepath.Join(dir, gitFolder)); err == nil {
			l.pin(dir)
			l.folder(dir)
		}
	}
}
