package files_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/clip"
)

// listed is what a list says of itself.
type listed struct {
	Next    string
	More    bool
	Files   int
	Skipped struct{ Ignored, Unreadable, Binary, Large int }
}

// pages calls a tool until there is no more, at most most bytes at a time.
func (p *place) pages(t *testing.T, tool string, args map[string]any, most int64) (entries []json.RawMessage, pages int, cut bool) {
	t.Helper()
	for {
		raw, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.tools[tool].Invoke(t.Context(), hostapi.Call{Tool: tool, Args: raw, MaxResultBytes: most})
		if err != nil || r.Outcome != hostapi.OutcomeOK {
			t.Fatalf("%s %s: %v %+v", tool, raw, err, r)
		}
		if most > 0 && (int64(len(r.Output)) > most || clip.JSONSize(r.Data) > most+clip.Shape) {
			t.Errorf("%s: %d and %d bytes of %d", raw, len(r.Output), len(r.Data), most)
		}
		var some []json.RawMessage
		var about listed
		if err := json.Unmarshal(r.Data, &some); err != nil {
			t.Fatalf("%s: %v", r.Data, err)
		}
		if err := json.Unmarshal(r.Metadata, &about); err != nil || about.More != (about.Next != "") {
			t.Fatalf("%s: %v", r.Metadata, err)
		}
		if r.Truncated && !strings.Contains(r.Output, fmt.Sprintf("it goes on with cursor %q", about.Next)) {
			t.Errorf("%s", r.Output)
		}
		entries, cut = append(entries, some...), cut || r.Truncated
		if pages++; !about.More {
			return entries, pages, cut
		}
		args["cursor"] = about.Next
	}
}

// TestListsGoOnWhereAPageEnds: all pages together are the whole, in order, each entry once, whether the
// caller asked for so many or no more would fit. Only what was not asked for is truncated.
func TestListsGoOnWhereAPageEnds(t *testing.T) {
	t.Parallel()
	content := map[string]string{}
	for i := range 60 {
		content[fmt.Sprintf("d%d/f%d.txt", i%7, i)] = strings.Repeat("some word\nother\n", 1+i%4)
		content[fmt.Sprintf("many/n-%d", i)] = strings.Repeat("x", i)
	}
	content["d1.txt"] = "some word\n" // d1.txt is after d1/… in a walk, and before it as text
	p := workspace(t, content)
	for i, c := range []struct {
		tool string
		args map[string]any
		want int
	}{
		{"ls", map[string]any{"path": "many"}, 60}, {"ls", map[string]any{"path": "many", "sort": "size"}, 60},
		{"glob", map[string]any{"pattern": "**"}, 121}, {"glob", map[string]any{"pattern": "**/*.txt", "sort": "modified", "details": true}, 61},
		{"grep", map[string]any{"pattern": "word"}, 151}, {"grep", map[string]any{"pattern": "word", "context": 1}, 151}, {"grep", map[string]any{"pattern": "[a-z]+"}, 360},
		{"grep", map[string]any{"pattern": "word", "output_mode": "count"}, 61}, {"grep", map[string]any{"pattern": "word", "output_mode": "files_with_matches"}, 61},
		{"search", map[string]any{"mode": "grep", "query": "word"}, 151}, {"search", map[string]any{"mode": "glob", "query": "**"}, 121},
		{"search", map[string]any{"mode": "bm25", "query": "word", "limit": 100}, 61},
	} {
		whole, pages, cut := p.pages(t, c.tool, c.args, 0)
		if len(whole) != c.want || pages != 1 || cut {
			t.Errorf("%d: %d entries, want %d, %d pages, truncated: %t", i, len(whole), c.want, pages, cut)
		}
		for _, limit := range []int{1, 7, c.want} {
			c.args["limit"] = limit
			delete(c.args, "cursor")
			got, _, cut := p.pages(t, c.tool, c.args, 0)
			if !slices.EqualFunc(got, whole, func(a, b json.RawMessage) bool { return string(a) == string(b) }) || cut {
				t.Errorf("%d, limit %d: %d entries, truncated: %t", i, limit, len(got), cut)
			}
		}
		for _, most := range []int64{300, 600} {
			delete(c.args, "cursor")
			c.args["limit"] = 1000
			got, pages, cut := p.pages(t, c.tool, c.args, most)
			if !slices.EqualFunc(got, whole, func(a, b json.RawMessage) bool { return string(a) == string(b) }) || !cut || pages < 2 {
				t.Errorf("%d, %d bytes: %d entries in %d pages, truncated: %t", i, most, len(got), pages, cut)
			}
		}
	}
	for _, cursor := range []string{"x", "-1:a", "1:", "a:b"} {
		if r := p.call(t, "glob", map[string]any{"pattern": "**", "cursor": cursor}); r.Outcome != hostapi.OutcomeFailed || !strings.Contains(r.Output, "is no cursor") {
			t.Errorf("%s: %+v", cursor, r)
		}
	}
	if r := p.call(t, "ls", `{"path":"many","sort":"size","cursor":"0:gone"}`); !strings.Contains(r.Output, "is not in the list any more") {
		t.Errorf("%+v", r)
	}
}

// TestListsGoOnWhenFilesCameAndWent: a cursor is a place among names, not a number.
func TestListsGoOnWhenFilesCameAndWent(t *testing.T) {
	t.Parallel()
	p := workspace(t, map[string]string{"a": "", "b": "", "c": "", "d": ""})
	r := p.call(t, "glob", `{"pattern":"*","limit":2}`)
	for _, name := range []string{"a", "b"} {
		if err := os.Remove(filepath.Join(p.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	put(t, p.dir, map[string]string{"0": "", "bb": ""})
	for _, tool := range []string{"glob", "ls"} {
		args := map[string]any{"cursor": "0:b"}
		if tool == "glob" {
			args["pattern"] = "*"
		}
		if next := p.call(t, tool, args); r.Output != "a\nb" || next.Output != "bb\nc\nd" {
			t.Errorf("%s: %q, %q", tool, r.Output, next.Output)
		}
	}
}

// TestWalksSayWhatTheySkip: also where nothing was found, and no_ignore looks at it.
func TestWalksSayWhatTheySkip(t *testing.T) {
	t.Parallel()
	p := workspace(t, tree)
	for _, c := range []struct {
		tool, args string
		found      int
		ignored    int
		binary     int
	}{
		{"grep", `{"pattern":"find me"}`, 2, 4, 1}, {"glob", `{"pattern":"**"}`, 6, 4, 0}, {"search", `{"mode":"bm25","query":"find"}`, 3, 4, 1},
		{"grep", `{"pattern":"find me","no_ignore":true}`, 7, 0, 1}, {"glob", `{"pattern":"**","no_ignore":true}`, 11, 0, 0},
		{"glob", `{"pattern":"node_modules/**"}`, 1, 0, 0}, {"glob", `{"pattern":"ignored/*.go"}`, 1, 0, 0}, {"glob", `{"pattern":"./src/deep/**"}`, 1, 0, 0},
		{"glob", `{"pattern":"**/m.go"}`, 0, 4, 0},
	} {
		r := p.call(t, c.tool, c.args)
		var about listed
		var found []any
		if err := json.Unmarshal(r.Metadata, &about); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(r.Data, &found); err != nil || len(found) != c.found || about.Skipped.Ignored != c.ignored || about.Skipped.Binary != c.binary {
			t.Errorf("%s %s: %d found, %s: %s", c.tool, c.args, len(found), r.Metadata, r.Output)
		}
		if said := strings.Contains(strings.Join(r.Notes, " "), "no_ignore"); said != (c.found == 0) {
			t.Errorf("%s %s: %q", c.tool, c.args, r.Notes)
		}
	}
}

// TestTrashIsInvisibleToWalks: whatever they ignore, unless it is named.
func TestTrashIsInvisibleToWalks(t *testing.T) {
	t.Parallel()
	p := workspace(t, map[string]string{"a.txt": "word", "src/b.txt": "word"})
	p.call(t, "delete", `{"path":"src/b.txt"}`)
	for _, ignore := range []bool{false, true} {
		for tool, args := range map[string]map[string]any{"glob": {"pattern": "**"}, "grep": {"pattern": "word"}, "search": {"mode": "bm25", "query": "word"}} {
			args["no_ignore"] = ignore
			if r := p.call(t, tool, args); strings.Contains(r.Output, "trash") || !strings.Contains(r.Output, "a.txt") {
				t.Errorf("%s: %s", tool, r.Output)
			}
		}
	}
	if r := p.call(t, "glob", `{"pattern":"**/b.txt","path":".scriptrun-trash","no_ignore":true}`); !strings.HasSuffix(r.Output, "/src/b.txt") {
		t.Errorf("%s", r.Output)
	}
}

// TestOutputModes: what a grep gives is lines, files, counts, or one sum.
func TestOutputModes(t *testing.T) {
	t.Parallel()
	p := workspace(t, map[string]string{"a": "x\nx\n", "b/c": "x", "n\nn": "x\n"})
	for mode, want := range map[string][2]string{
		"content":            {"a:1:x|a:2:x|b/c:1:x|\"n\\nn\":1:x", `[{"file":"a","line":1,"text":"x"},{"file":"a","line":2,"text":"x"},{"file":"b/c","line":1,"text":"x"},{"file":"n\nn","line":1,"text":"x"}]`},
		"files_with_matches": {"a|b/c|\"n\\nn\"", `["a","b/c","n\nn"]`},
		"count":              {"a:2|b/c:1|\"n\\nn\":1", `[{"count":2,"file":"a"},{"count":1,"file":"b/c"},{"count":1,"file":"n\nn"}]`},
		"summary":            {"4 lines in 3 files match", `{"files":3,"matches":4}`},
	} {
		for tool, args := range map[string]map[string]any{"grep": {"pattern": "x", "output_mode": mode}, "search": {"mode": "grep", "query": "x", "output_mode": mode}} {
			r := p.call(t, tool, args)
			if got := strings.ReplaceAll(r.Output, "\n", "|"); got != want[0] || string(r.Data) != want[1] {
				t.Errorf("%s %s: %s %s", tool, mode, got, r.Data)
			}
		}
	}
}

// TestListsWithSizesAndTimes: sorted by them where that is asked for.
func TestListsWithSizesAndTimes(t *testing.T) {
	t.Parallel()
	p := workspace(t, map[string]string{"old/big": "123456", "new": "123", "middle": ""})
	for i, name := range []string{"old/big", "middle", "new"} {
		at := time.Date(2020+i, 1, 1, 0, 0, 0, 0, time.UTC)
		if err := os.Chtimes(filepath.Join(p.dir, name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	for args, want := range map[string]string{
		`{"pattern":"**","details":true,"sort":"modified","limit":2}`: `[{"path":"new","type":"file","size":3,"modified":"2022-01-01T00:00:00Z"},{"path":"middle","type":"file","size":0,"modified":"2021-01-01T00:00:00Z"}]`,
		`{"pattern":"**","sort":"size"}`:                              `["old/big","new","middle"]`,
		`{"pattern":"**","sort":"backend"}`:                           `["middle","new","old/big"]`,
	} {
		if r := p.call(t, "glob", args); string(r.Data) != want {
			t.Errorf("%s: %s", args, r.Data)
		}
	}
	if r := p.call(t, "ls", `{"sort":"size"}`); r.Output != "new\nmiddle\nold/" {
		t.Errorf("%s", r.Output)
	}
}
