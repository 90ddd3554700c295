package wire_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
	"pgregory.net/rapid"
)

func TestStreamRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var frames []wire.Frame
		var stream bytes.Buffer
		for range rapid.IntRange(0, 5).Draw(t, "frames") {
			f := wire.Frame{
				Kind: wire.Kind(rapid.IntRange(1, 8).Draw(t, "kind")),
				Head: rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "head"),
				Body: rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "body"),
			}
			if wire.Write(&stream, f) == nil {
				frames = append(frames, f)
			}
		}
		r := wire.NewReader(&stream)
		for _, want := range frames {
			got, err := r.Read()
			if err != nil {
				t.Fatal(err)
			}
			if got.Kind != want.Kind || !bytes.Equal(got.Head, want.Head) || !bytes.Equal(got.Body, want.Body) {
				t.Fatalf("got %v, want %v", got, want)
			}
		}
		if _, err := r.Read(); err != io.EOF {
			t.Fatalf("after the last frame: %v", err)
		}
	})
}

// prefix writes a frame's prefix by hand.
func prefix(kind byte, head, body uint32) []byte {
	return []byte{kind, byte(head >> 24), byte(head >> 16), byte(head >> 8), byte(head), byte(body >> 24), byte(body >> 16), byte(body >> 8), byte(body)}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", wire.MaxDepth+1)
	for _, c := range []struct {
		name  string
		bytes []byte
		want  string
	}{
		{"kind 0", prefix(0, 0, 0), "kind 0"},
		{"kind 15", prefix(15, 0, 0), "kind 15"},
		{"a head that is too long", prefix(1, wire.MaxProgram+1, 0), "head"},
		{"a body that is too long", prefix(1, 0, 1<<32-1), "body"},
		{"a body that is too deep", append(prefix(1, 0, uint32(len(deep))), deep...), "nested"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := wire.NewReader(bytes.NewReader(c.bytes)).Read()
			var bad *wire.Error
			if !errors.As(err, &bad) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	for _, cut := range [][]byte{prefix(1, 2, 0)[:3], prefix(1, 2, 0), append(prefix(1, 2, 4), "{}nul"[:3]...)} {
		if _, err := wire.NewReader(bytes.NewReader(cut)).Read(); err != io.ErrUnexpectedEOF {
			t.Errorf("%v: %v", cut, err)
		}
	}
}

// A peer that claims much and sends nothing costs next to nothing.
func TestReadAllocatesAsItReads(t *testing.T) {
	t.Parallel()
	claim := prefix(1, 0, wire.MaxBody)
	allocated := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			if _, err := wire.NewReader(bytes.NewReader(claim)).Read(); err == nil {
				b.Fatal("it read what is not there")
			}
		}
	}).AllocedBytesPerOp()
	if allocated > 4<<20 {
		t.Errorf("%d bytes were allocated for a claim of %d", allocated, wire.MaxBody)
	}
}

func TestNewAndDecode(t *testing.T) {
	t.Parallel()
	want := wire.Call{Seq: 3, Tool: "grep", Line: 7, Col: 9}
	f, err := wire.New(wire.KindCall, want, []byte(`{"a":1}`))
	if err != nil {
		t.Fatal(err)
	}
	var got wire.Call
	if err := f.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if err := (wire.Frame{Kind: wire.KindCall, Head: []byte(`{"seq":"x"}`)}).Decode(&got); err == nil {
		t.Error("a head of the wrong shape decoded")
	}
	if _, err := wire.New(wire.KindCall, func() {}, nil); err == nil {
		t.Error("a head that is not JSON encoded")
	}
	if err := wire.Write(io.Discard, wire.Frame{}); err == nil {
		t.Error("the zero frame was written")
	}
}

func TestDepth(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		``: 0, `1`: 0, `{}`: 1, `[[]]`: 2, `{"a":[{}]}`: 3, `"[[["`: 0, `"\"[["`: 0, `"\\"`: 0, `["\\[",[]]`: 2, `[][][]`: 1,
	} {
		if got := wire.Depth([]byte(text)); got != want {
			t.Errorf("%s: got %d, want %d", text, got, want)
		}
	}
}

func FuzzReader(f *testing.F) {
	var stream bytes.Buffer
	_ = wire.Write(&stream, wire.Frame{Kind: wire.KindCall, Head: []byte(`{"seq":1}`), Body: []byte(`{}`)})
	f.Add(stream.Bytes())
	f.Add(prefix(1, 1<<31, 1<<31))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		r := wire.NewReader(bytes.NewReader(data))
		read := 0
		for {
			frame, err := r.Read()
			if err != nil {
				return
			}
			read += 9 + len(frame.Head) + len(frame.Body)
			if read > len(data) || frame.Check() != nil {
				t.Fatalf("%d bytes were read of %d", read, len(data))
			}
			var out bytes.Buffer
			if err := wire.Write(&out, frame); err != nil {
				t.Fatal(err)
			}
			again, err := wire.NewReader(&out).Read()
			if err != nil || !bytes.Equal(again.Body, frame.Body) || !bytes.Equal(again.Head, frame.Head) {
				t.Fatalf("%v became %v, %v", frame, again, err)
			}
		}
	})
}

var errLate = errors.New("late")

// hesitant gives a byte, or nothing in time, by turns.
type hesitant struct {
	in   io.Reader
	late bool
}

func (h *hesitant) Read(p []byte) (int, error) {
	if h.late = !h.late; h.late {
		return 0, errLate
	}
	return h.in.Read(p[:min(len(p), 1)])
}

// TestReadGoesOn: what was read before an error of the stream is not lost.
func TestReadGoesOn(t *testing.T) {
	t.Parallel()
	var stream bytes.Buffer
	want := []wire.Frame{
		{Kind: wire.KindCall, Head: []byte(`{"seq":1}`), Body: []byte(`{"a":[1,2,3]}`)},
		{Kind: wire.KindReturn, Head: []byte(`{}`)},
	}
	for _, f := range want {
		if err := wire.Write(&stream, f); err != nil {
			t.Fatal(err)
		}
	}
	stream.WriteByte(byte(wire.KindLog)) // and no more
	r := wire.NewReader(&hesitant{in: &stream})
	var got []wire.Frame
	for {
		f, err := r.Read()
		if errors.Is(err, errLate) {
			continue
		}
		if err != nil {
			if !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("it ended with %v", err)
			}
			break
		}
		got = append(got, f)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
