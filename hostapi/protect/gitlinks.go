package protect

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
)

// Bounds of an index that is read: repositories that it names, and the bytes of
// a name. What is beyond them is not git's to use either.
const (
	maxLinks = 10_000
	maxName  = 4096
)

const (
	indexMagic   = "DIRC"
	indexMode    = 24 // where the mode is in an entry
	indexStat    = 40 // what is before the object's name
	modeGitlink  = 0o160000
	flagExtended = 0x4000
	linkMagic    = "link" // the extension that names the other part of an index in two
)

// gitlinks are the paths of an index that are repositories of their own, and the
// name of the index that it goes on in; nil for none. What git cannot read has
// none; whole is false for what is beyond bounds.
type gitlinks struct {
	paths  []string
	shared []byte
	whole  bool
}

// readGitlinks reads an index. A reader that ends with errEffort has more.
func readGitlinks(from io.Reader, hashSize int) (found gitlinks) {
	r := bufio.NewReaderSize(from, 64<<10)
	err := found.read(r, hashSize)
	found.whole = !errors.Is(err, errEffort)
	return found
}

func (g *gitlinks) read(r *bufio.Reader, hashSize int) error {
	var head [12]byte
	if _, err := io.ReadFull(r, head[:]); err != nil || string(head[:4]) != indexMagic {
		return err
	}
	version, entries := binary.BigEndian.Uint32(head[4:]), binary.BigEndian.Uint32(head[8:])
	fixed, name := make([]byte, indexStat+hashSize+2), []byte(nil)
	for range entries {
		if _, err := io.ReadFull(r, fixed); err != nil {
			return err
		}
		size := len(fixed)
		if binary.BigEndian.Uint16(fixed[size-2:])&flagExtended != 0 {
			if _, err := r.Discard(2); err != nil {
				return err
			}
			size += 2
		}
		kept := 0
		if version == 4 { // the name is told by what it shares with the one before
			drop, err := offset(r)
			if err != nil || drop > len(name) {
				return err
			}
			kept = len(name) - drop
		}
		var err error
		if name, err = appendName(r, name[:kept]); err != nil {
			return err
		}
		if version != 4 {
			size += len(name) + 1
			if _, err := r.Discard((8 - size%8) % 8); err != nil {
				return err
			}
		}
		if binary.BigEndian.Uint32(fixed[indexMode:]) == modeGitlink {
			if len(g.paths) >= maxLinks {
				return errEffort
			}
			g.paths = append(g.paths, string(name))
		}
	}
	return g.extensions(r, hashSize)
}

// extensions seeks the one that names another index.
func (g *gitlinks) extensions(r *bufio.Reader, hashSize int) error {
	for {
		if rest, err := r.Peek(hashSize + 8); err != nil { // no more than the sum at the end
			if len(rest) <= hashSize && errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		var head [8]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return err
		}
		left := int64(binary.BigEndian.Uint32(head[4:]))
		if string(head[:4]) == linkMagic && left >= int64(hashSize) {
			g.shared = make([]byte, hashSize)
			_, err := io.ReadFull(r, g.shared)
			return err
		}
		if _, err := io.CopyN(io.Discard, r, left); err != nil {
			return err
		}
	}
}

// appendName reads a name up to its zero.
func appendName(r *bufio.Reader, name []byte) ([]byte, error) {
	for {
		c, err := r.ReadByte()
		if err != nil || c == 0 {
			return name, err
		}
		if name = append(name, c); len(name) > maxName {
			return name, errEffort
		}
	}
}

// offset is a number as packs and indexes hold it.
func offset(r *bufio.Reader) (value int, err error) {
	for i := range 5 {
		c, err := r.ReadByte()
		if err != nil {
			return 0, err
		}
		if i > 0 {
			value++
		}
		value = value<<7 | int(c&0x7f)
		if c&0x80 == 0 {
			return value, nil
		}
	}
	return 0, io.ErrUnexpectedEOF
}

// reader reads within what is left of the bytes and the time.
func (e *effort) reader(from io.Reader) io.Reader { return &boundedReader{from, e} }

type boundedReader struct {
	from   io.Reader
	effort *effort
}

func (r *boundedReader) Read(p []byte) (int, error) {
	if r.effort.bytes <= 0 || !r.effort.inTime() {
		return 0, errEffort
	}
	n, err := r.from.Read(p[:min(int64(len(p)), r.effort.bytes)])
	r.effort.bytes -= int64(n)
	return n, err
}
