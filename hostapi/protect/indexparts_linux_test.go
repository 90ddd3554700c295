package protect

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"
)

// TestIndexThatSaysOtherwiseIsNotWhole: an index that git with several threads would read
// differently than with one does not count as read.
func TestIndexThatSaysOtherwiseIsNotWhole(t *testing.T) {
	t.Parallel()
	const hash = 20
	number := func(n int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(n)) }
	extension := func(name string, data ...[]byte) []byte {
		all := slices.Concat(data...)
		return slices.Concat([]byte(name), number(len(all)), all)
	}
	entries := hostileIndex([]string{"a", "b", "c"})
	entries = entries[:len(entries)-hash]
	sum := make([]byte, hash)
	end := func(at int) []byte { return extension("EOIE", number(at), sum) }
	link := extension("link", make([]byte, hash+24))
	blocks := func(numbers ...int) []byte {
		data := number(1)
		for _, n := range numbers {
			data = append(data, number(n)...)
		}
		return extension("IEOT", data)
	}
	for name, c := range map[string]struct {
		index []byte
		whole bool
	}{
		"as it is":               {slices.Concat(entries, link, end(len(entries)), sum), true},
		"in blocks":              {slices.Concat(entries, blocks(12, 1, 12+64, 2), end(len(entries)), sum), true},
		"another end":            {slices.Concat(entries, extension("AAAA", link), end(len(entries)+8), sum), false},
		"another end, swallowed": {slices.Concat(entries, extension("AAAA", link, end(len(entries)+8)), sum), false},
		"no entries":             {slices.Concat([]byte("DIRC\x00\x00\x00\x02\xff\xff\xff\xff"), link, end(12), sum), false},
		"another block":          {slices.Concat(entries, blocks(12, 1, 12+8, 2), end(len(entries)), sum), false},
		"a block too few":        {slices.Concat(entries, blocks(12, 1), end(len(entries)), sum), false},
		"a block too many":       {slices.Concat(entries, blocks(12, 3, 12, 1<<31), end(len(entries)), sum), false},
	} {
		if found := readGitlinks(bytes.NewReader(c.index), hash, nil); found.whole != c.whole {
			t.Errorf("%s: %+v", name, found)
		}
	}
}
