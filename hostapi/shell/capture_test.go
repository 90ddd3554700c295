package shell

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/scriptrun/scriptrun/hostapi/clip"
	"pgregory.net/rapid"
)

func TestBufferKeepsHeadAndTail(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(0, 64).Draw(t, "limit")
		b := newBuffer(limit, &blocks{size: rapid.IntRange(1, 70).Draw(t, "block")})
		var all []byte
		for _, chunk := range rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 0, 50), 0, 12).Draw(t, "chunks") {
			b.write(chunk)
			all = append(all, chunk...)
			if rapid.IntRange(0, 4).Draw(t, "shrink") == 0 {
				limit = min(limit, rapid.IntRange(0, 64).Draw(t, "lower"))
				b.shrink(limit)
			}
		}
		since := rapid.IntRange(0, 200).Draw(t, "since")
		got := b.snapshot(int64(since))
		want := all[min(since, len(all)):]
		kept := append(append([]byte(nil), got.Head...), got.Tail...)
		switch {
		case got.Total != int64(len(all)):
			t.Fatalf("total %d of %d", got.Total, len(all))
		case int64(len(kept))+got.Dropped != int64(len(want)):
			t.Fatalf("%d kept and %d dropped of %d", len(kept), got.Dropped, len(want))
		case len(kept) > limit:
			t.Fatalf("%d bytes kept with a limit of %d", len(kept), limit)
		case len(all) <= limit && got.Dropped != 0:
			t.Fatalf("%d dropped below the limit", got.Dropped)
		case !bytes.HasPrefix(want, got.Head) || !bytes.HasSuffix(want, got.Tail):
			t.Fatalf("head %q and tail %q of %q", got.Head, got.Tail, want)
		}
		inBlocks(t, &b)
	})
}

// inBlocks fails if a buffer holds more than it keeps, but for two blocks where it dropped something and
// the one that it writes to.
func inBlocks(t *rapid.T, b *buffer) {
	size := int(b.blocks.each())
	if held := (len(b.first) + len(b.last)) * size; held > b.limit+3*size {
		t.Fatalf("%d bytes held with a limit of %d in blocks of %d", held, b.limit, size)
	}
}

func TestTextIsBoundedAndValid(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.Map(rapid.StringN(0, 400, 1200), func(s string) []byte { return []byte(s) }),
			rapid.SliceOfN(rapid.Byte(), 0, 1200),
			rapid.Just([]byte(strings.Repeat("é日😀", 100))),
		).Draw(t, "text")
		b := newBuffer(rapid.IntRange(0, 1500).Draw(t, "kept"), &blocks{})
		b.write(text)
		limit := rapid.Int64Range(0, 1500).Draw(t, "limit")
		captured := b.snapshot(0)
		got, cut := captured.Text(limit)
		if clip.Size(got) > limit || !utf8.ValidString(got) {
			t.Fatalf("%d bytes with a limit of %d: %q", len(got), limit, got)
		}
		if !cut && got != strings.ToValidUTF8(string(text), "\uFFFD") {
			t.Fatalf("%q is not said to be cut and is not %q", got, text)
		}
		if utf8.Valid(text) && (strings.ContainsRune(got, '\uFFFD') && !bytes.ContainsRune(text, '\uFFFD') || !captured.valid()) {
			t.Fatalf("a cut broke a character of %q: %q", text, got)
		}
		if cut && limit >= 192 && !strings.Contains(got, "bytes dropped here") {
			t.Fatalf("%q does not say that it is cut", got)
		}
	})
}

func TestTextSaysHowMuchIsMissing(t *testing.T) {
	t.Parallel()
	b := newBuffer(400, &blocks{})
	b.write([]byte(strings.Repeat("a", 1000) + strings.Repeat("z", 1000)))
	got, cut := b.snapshot(0).Text(400)
	const half = (400 - 96) / 2
	want := strings.Repeat("a", half) + "\n… 1696 of 2000 bytes dropped here …\n" + strings.Repeat("z", half)
	if got != want || !cut {
		t.Errorf("%v %q", cut, got)
	}
}

// TestBytesThatAreNotUTF8CostNothingElse: each end of a long text with one of them keeps its half,
// and a text of the old encodings that fits is there as a whole.
func TestBytesThatAreNotUTF8CostNothingElse(t *testing.T) {
	t.Parallel()
	long := "\xe9" + strings.Repeat("a line of a log\n", 18056) + "\xe9"
	b := newBuffer(1<<20, &blocks{})
	b.write([]byte(long))
	if got, cut := b.snapshot(0).Text(4096); !cut || len(got) < 3900 || clip.Size(got) > 4096 {
		t.Errorf("%d bytes of %d are kept", len(got), len(long))
	}
	fits := strings.Repeat("caf\xe9 ", 784)
	b = newBuffer(1<<20, &blocks{})
	b.write([]byte(fits))
	if got, cut := b.snapshot(0).Text(4096); cut || got != strings.ReplaceAll(fits, "\xe9", "\uFFFD") {
		t.Errorf("%d bytes of %d are kept", len(got), len(fits))
	}
}
