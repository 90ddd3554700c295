package clip_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/clip"
)

// TestLimitsCountText: an escape, and what stands for a byte that is no text, are no longer
// than what they stand for.
func TestLimitsCountText(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "plain", strings.Repeat(`"`, 4000), "tab\tend\n", "<&>", "naïve 漢 😀", "\u2028", "\x00", `\`} {
		raw, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := clip.JSONSize(raw)-2, int64(len(s)); got != want {
			t.Errorf("%.20q as %.40s: %d bytes, want %d", s, raw, got, want)
		}
	}
	for raw, want := range map[string]int64{`"\ud83d\ude00"`: 6, `"\ufffd�"`: 4, `{"a": [1]}`: 10} {
		if got := clip.JSONSize([]byte(raw)); got != want {
			t.Errorf("%s: %d bytes, want %d", raw, got, want)
		}
	}
	if got := clip.Size("caf\uFFFD"); got != 4 {
		t.Errorf("got %d", got)
	}
}

// TestEntriesStayWhole: each limit gives a value that begins as the whole does, with no entry in part.
func TestEntriesStayWhole(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`[{"a":[1,2]},{"a":[3,4]},5]`:       `[] [{"a":[1,2]}] [{"a":[1,2]},{"a":[3,4]}] [{"a":[1,2]},{"a":[3,4]},5]`,
		`{"a":1,"b":{"c":2,"d":3},"e":"]"}`: `{} {"a":1} {"a":1,"b":{"c":2,"d":3}} {"a":1,"b":{"c":2,"d":3},"e":"]"}`,
		`{"n":1,"l":["x","y,\"]"]}`:         `{} {"n":1} {"n":1,"l":[]} {"n":1,"l":["x"]} {"n":1,"l":["x","y,\"]"]}`,
	} {
		var seen []string
		for limit := range int64(len(raw) + 1) {
			kept := string(clip.Entries([]byte(raw), limit))
			if limit == 0 {
				continue
			}
			if len(seen) == 0 || seen[len(seen)-1] != kept {
				seen = append(seen, kept)
			}
		}
		if got := strings.Join(seen, " "); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", raw, got, want)
		}
	}
	for _, raw := range []string{`"a long text"`, `12`, `null`} {
		if kept := clip.Entries([]byte(raw), 2); kept != nil {
			t.Errorf("%s: %s", raw, kept)
		}
	}
}

// TestEscapesBeyondTheirBoundCount: JSON of a text within its limit is never much longer than
// the limit, and what few escapes add does not count.
func TestEscapesBeyondTheirBoundCount(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"\x00", "\n", `"`, "x", "漢", "\x1b[0m ", "\u2028", "\xff", "a\xe2\x80"} {
		for _, limit := range []int64{1 << 10, 4 << 20, 6 << 20, 16 << 20} {
			text := strings.Repeat(unit, int(limit)/len(unit))
			kept := clip.Escaped(limit, clip.Added(text))
			raw, err := json.Marshal(clip.Head(text, int(kept)))
			if err != nil {
				t.Fatal(err)
			}
			added := int64(len(raw)-2) - min(kept, int64(len(text)))
			switch {
			case int64(len(raw)) > limit+clip.Escapes(limit)+2:
				t.Errorf("%q, limit %d: %d bytes of JSON", unit, limit, len(raw))
			case kept != limit && (limit <= 1<<20 || added < clip.Escapes(limit)/3):
				t.Errorf("%q, limit %d: cut to %d, and escapes add only %d", unit, limit, kept, added)
			}
		}
	}
}
