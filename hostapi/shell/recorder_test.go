package shell

import (
	"bytes"
	"runtime"
	"testing"

	"pgregory.net/rapid"
)

// TestTwoStreamsShareOneLimit: what was written comes whole as long as it fits; else each
// stream has half of the room, or what the other leaves, and both in order are a beginning and
// an end.
func TestTwoStreamsShareOneLimit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 200).Draw(t, "limit")
		r := newRecorder(Limits{OutputBytes: int64(limit)}, nil)
		limit = r.limit
		r.blocks.size = rapid.OneOf(rapid.Just(0), rapid.IntRange(1, 40)).Draw(t, "block")
		var each [3][]byte // of both, stdout, stderr
		type chunk struct {
			stderr bool
			length int
		}
		chunks := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) chunk {
			return chunk{rapid.Bool().Draw(t, "stderr"), rapid.OneOf(rapid.Just(1), rapid.IntRange(0, 90)).Draw(t, "length")}
		}), 0, 60).Draw(t, "chunks")
		next := byte(0)
		looked := int64(-1)
		var lookedAt [3]int
		for _, c := range chunks {
			p := make([]byte, c.length)
			for i := range p {
				p[i], next = next%128, next+1
			}
			to, i := &r.stdout, 1
			if c.stderr {
				to, i = &r.stderr, 2
			}
			r.write(to, p)
			each[0], each[i] = append(each[0], p...), append(each[i], p...)
			if rapid.IntRange(0, 9).Draw(t, "look") == 0 {
				got := r.snapshot(0)
				looked, lookedAt = got.Both.Total, [3]int{len(each[0]), len(each[1]), len(each[2])}
			}
		}
		since, from := 0, [3]int{}
		switch rapid.IntRange(0, 2).Draw(t, "since") {
		case 1:
			if looked >= 0 {
				since, from = int(looked), lookedAt
			}
		case 2:
			since = rapid.IntRange(0, 2*len(each[0])+1).Draw(t, "any")
			from[0] = min(since, len(each[0]))
			from[1], from[2] = -1, -1
		}
		out := r.snapshot(int64(since))
		fits := len(each[0]) <= limit
		var kept int
		for i, got := range []Captured{out.Both, out.Stdout, out.Stderr} {
			if got.Total != int64(len(each[i])) {
				t.Fatalf("%d: total %d of %d", i, got.Total, len(each[i]))
			}
			if from[i] < 0 {
				from[i] = int(got.Since)
			}
			want := each[i][from[i]:]
			if !bytes.HasPrefix(want, got.Head) || !bytes.HasSuffix(want, got.Tail) || int64(len(got.Head)+len(got.Tail))+got.Dropped != int64(len(want)) || got.Since != int64(from[i]) {
				t.Fatalf("%d since %d: head %q, tail %q and %d dropped of %q", i, got.Since, got.Head, got.Tail, got.Dropped, want)
			}
			if fits && got.Dropped != 0 {
				t.Fatalf("%d: %d dropped below the limit of %d", i, got.Dropped, limit)
			}
			if other := each[(3-i)%3]; i > 0 && since == 0 && len(got.Head)+len(got.Tail) < min(len(want), max(limit/2, limit-len(other))) {
				t.Fatalf("%d: %d bytes kept with a limit of %d and %d of the other stream", i, len(got.Head)+len(got.Tail), limit, len(other))
			}
		}
		for _, s := range []*stream{&r.stdout, &r.stderr} {
			head, tail := s.until()
			if kept += int(head); tail > 0 {
				kept += int(s.total - tail)
			}
			inBlocks(t, &s.buffer)
		}
		if kept > limit+share(limit) {
			t.Fatalf("%d bytes are kept with a limit of %d", kept, limit)
		}
		if since == 0 && len(out.Both.Head)+len(out.Both.Tail) < min(len(each[0]), limit/2-1) {
			t.Fatalf("%d bytes of both with a limit of %d", len(out.Both.Head)+len(out.Both.Tail), limit)
		}
		if held := len(r.order.first) + len(r.order.last); held > 3*2*(limit+share(limit)) {
			t.Fatalf("%d bytes for the order", held)
		}
	})
}

// TestCapturingAllocatesWhatIsKept: a long command, whose streams take room from one another, and
// whose output goes to files besides, costs what is kept of it and little more.
func TestCapturingAllocatesWhatIsKept(t *testing.T) {
	const limit, chunk = 4 << 20, 64 << 10
	p := bytes.Repeat([]byte("a\xffb\xff"), chunk/4)
	capture := func(files string) uint64 {
		r := newRecorder(Limits{OutputBytes: limit, SpillDir: files}, nil)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for _, to := range []*stream{&r.stdout, &r.stderr, &r.stdout} {
			for range limit / chunk {
				r.write(to, p)
			}
		}
		runtime.ReadMemStats(&after)
		r.end()
		return after.TotalAlloc - before.TotalAlloc
	}
	for name, files := range map[string]string{"without files": "", "with files": t.TempDir()} {
		if got := capture(files); got > limit+limit/4 {
			t.Errorf("%s: %d bytes were allocated for %d that are kept", name, got, limit)
		}
	}
}
