package protect

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
)

// The bounds of an index: the repositories that it names, and the bytes of
// a name. Git uses nothing beyond them either.
const (
	maxLinks = 10_000
	maxName  = 4096
	// maxExtension bounds an extension that is read, in bytes.
	maxExtension = 4 << 20
)

const (
	indexMagic   = "DIRC"
	indexMode    = 24 // the offset of the mode in an entry
	indexStat    = 40 // the bytes before the object's name
	modeGitlink  = 0o160000
	flagExtended = 0x4000
	linkMagic    = "link" // the extension that names the other part of an index in two
	endMagic     = "EOIE" // where the entries end
	blocksMagic  = "IEOT" // where parts of the entries begin
)

// gitlinks are the paths in an index that are repositories of their own. An index that git
// cannot read has none; whole is false for an index beyond the bounds.
type gitlinks struct {
	paths []string
	// shared is the name of a second index; nil for none. An entry here without a name
	// makes an entry of the second one a repository: replaced are the positions of
	// these entries there.
	shared   []byte
	replaced []int
	whole    bool
}

var errNoIndex = errors.New("it does not begin like an index")

// readGitlinks reads an index. If the reader ends with errEffort, there is more. also are the
// entries, in order, that another index makes repositories.
func readGitlinks(from io.Reader, hashSize int, also []int) (found gitlinks) {
	r := newIndexReader(from, hashSize)
	r.also = also
	err := r.read()
	if errors.Is(err, errNoIndex) {
		return gitlinks{whole: true}
	}
	_, more := io.Copy(io.Discard, r)
	r.found.whole = !errors.Is(err, errEffort) && !errors.Is(more, errEffort) && r.endsWhereItSays()
	return r.found
}

func newIndexReader(from io.Reader, hashSize int) *indexReader {
	r := &indexReader{hashSize: hashSize}
	r.counted = counted{from: from, keep: len(endMagic) + 8 + 2*hashSize}
	r.Reader = bufio.NewReaderSize(&r.counted, 64<<10)
	return r
}

// indexReader reads an index from its beginning to its end.
type indexReader struct {
	*bufio.Reader
	counted  counted
	hashSize int
	also     []int
	named    func(name []byte) // called with each entry, unless it is nil
	found    gitlinks
	nameless []int    // the first entries that have no name and are repositories
	begins   []uint32 // where each entry begins, and the last one ends
	entries  bool     // all of them were read
	blocks   []byte   // the extension with the beginnings of parts of the entries
}

func (r *indexReader) read() error {
	var head [12]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return err
	}
	if string(head[:4]) != indexMagic {
		return errNoIndex
	}
	version, entries := binary.BigEndian.Uint32(head[4:]), int(binary.BigEndian.Uint32(head[8:]))
	fixed, name := make([]byte, indexStat+r.hashSize+2), []byte(nil)
	for entry := range entries {
		r.begins = append(r.begins, r.at())
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
		if version == 4 { // the name shares its beginning with the previous one
			drop, err := offset(r.Reader)
			if err != nil || drop > len(name) {
				return err
			}
			kept = len(name) - drop
		}
		var err error
		if name, err = appendName(r.Reader, name[:kept]); err != nil {
			return err
		}
		if r.named != nil {
			r.named(name)
		}
		if version != 4 {
			size += len(name) + 1
			if _, err := r.Discard((8 - size%8) % 8); err != nil {
				return err
			}
		}
		link := binary.BigEndian.Uint32(fixed[indexMode:]) == modeGitlink
		for len(r.also) > 0 && r.also[0] <= entry {
			link, r.also = link || r.also[0] == entry, r.also[1:]
		}
		if !link {
			continue
		}
		if len(r.found.paths)+len(r.nameless) >= maxLinks {
			return errEffort
		}
		if len(name) == 0 {
			r.nameless = append(r.nameless, entry)
			continue
		}
		r.found.paths = append(r.found.paths, string(name))
	}
	r.begins, r.entries = append(r.begins, r.at()), true
	return r.extensions()
}

// extensions looks for the extension that names another index.
func (r *indexReader) extensions() error {
	for {
		if rest, err := r.Peek(r.hashSize + 8); err != nil { // only the checksum is left
			if len(rest) <= r.hashSize && errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		var head [8]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return err
		}
		left := int64(binary.BigEndian.Uint32(head[4:]))
		switch name := string(head[:4]); {
		case name == linkMagic && left >= int64(r.hashSize):
			if err := r.link(left); err != nil {
				return err
			}
		case name == blocksMagic && left <= maxExtension:
			r.blocks = make([]byte, left)
			if _, err := io.ReadFull(r, r.blocks); err != nil {
				return err
			}
		default:
			if _, err := io.CopyN(io.Discard, r, left); err != nil {
				return err
			}
		}
	}
}

// link reads the extension that names another index, and which of its entries the ones without
// a name here replace.
func (r *indexReader) link(size int64) error {
	if size > maxExtension {
		return errEffort
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(r, data); err != nil {
		return err
	}
	r.found.shared = data[:r.hashSize]
	rest := data[r.hashSize:]
	var err error
	if _, rest, err = setBits(rest, 0); err != nil { // the deleted entries
		return err
	}
	places := 0
	if len(r.nameless) > 0 {
		places = r.nameless[len(r.nameless)-1] + 1
	}
	replaced, _, err := setBits(rest, places)
	for _, entry := range r.nameless {
		if entry < len(replaced) {
			r.found.replaced = append(r.found.replaced, replaced[entry])
		}
	}
	return err
}

// appendName reads a name up to its NUL.
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

// offset reads a number as packs and indexes encode it.
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
