package protect

import (
	"encoding/binary"
	"io"
	"math/bits"
)

// at is the reader's offset.
func (r *indexReader) at() uint32 { return uint32(r.counted.n - int64(r.Buffered())) } //nolint:gosec // less is read

// endsWhereItSays reports whether the extensions by which git's threads find the entries and
// their parts agree with the entries that one thread reads.
func (r *indexReader) endsWhereItSays() bool {
	end := r.counted.tail
	if len(end) < r.counted.keep || string(end[:4]) != endMagic || binary.BigEndian.Uint32(end[4:]) != uint32(4+r.hashSize) { //nolint:gosec // 20 or 32
		return true // git reads with one thread
	}
	if !r.entries || binary.BigEndian.Uint32(end[8:]) != r.begins[len(r.begins)-1] {
		return false
	}
	if r.blocks == nil {
		return true
	}
	entry := 0
	for left := r.blocks[min(4, len(r.blocks)):]; len(left) >= 8; left = left[8:] {
		if binary.BigEndian.Uint32(left) != r.begins[entry] {
			return false
		}
		if entry += int(binary.BigEndian.Uint32(left[4:])); entry >= len(r.begins) {
			return false
		}
	}
	return entry == len(r.begins)-1
}

// setBits are the positions of the first n set bits in a bitmap as git compresses it, and the
// data after it. Some of its words count equal words, and say how many follow as they are.
func setBits(data []byte, n int) (places []int, rest []byte, err error) {
	if len(data) < 8 {
		return nil, nil, io.ErrUnexpectedEOF
	}
	size, words := int(binary.BigEndian.Uint32(data)), int(binary.BigEndian.Uint32(data[4:]))
	if data = data[8:]; len(data)/8 < words || len(data)-8*words < 4 {
		return nil, nil, io.ErrUnexpectedEOF
	}
	rest = data[8*words+4:]
	bit := 0
	for word := 0; word < words && len(places) < n; {
		run := binary.BigEndian.Uint64(data[8*word:])
		word++
		alike, asIs := int(run>>1&0xffffffff)*64, int(run>>33) //nolint:gosec // 32 and 31 bits
		for end := bit + alike; bit < end; bit++ {
			if run&1 == 0 || bit >= size || len(places) == n {
				bit = end
				break
			}
			places = append(places, bit)
		}
		for ; asIs > 0 && word < words; asIs-- {
			for set := binary.BigEndian.Uint64(data[8*word:]); set != 0 && len(places) < n; set &= set - 1 {
				places = append(places, bit+bits.TrailingZeros64(set))
			}
			bit += 64
			word++
		}
	}
	return places, rest, nil
}

// counted counts the bytes that are read, and keeps the last ones.
type counted struct {
	from io.Reader
	n    int64
	tail []byte
	keep int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.n += int64(n)
	c.tail = append(c.tail, p[max(0, n-c.keep):n]...)
	c.tail = append(c.tail[:0], c.tail[max(0, len(c.tail)-c.keep):]...)
	return n, err
}

// reader reads within the bytes and the time that are left.
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
