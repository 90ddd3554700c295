package files_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestSortedListsAreOfAllFiles: the first of a sorted list are the first of all files, however many
// there are, and a list that others may belong before says so, also to who asked for a few.
func TestSortedListsAreOfAllFiles(t *testing.T) {
	t.Parallel()
	const files = 50_010 // ten more than a list has
	p := workspace(t, nil)
	for i := range files {
		if err := os.WriteFile(filepath.Join(p.dir, fmt.Sprintf("f%05d", i)), []byte("zebra"[:i%2]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	last := filepath.Join(p.dir, fmt.Sprintf("f%05d", files-1))
	if err := os.WriteFile(last, []byte("zebra zebra"), 0o600); err != nil {
		t.Fatal(err)
	}
	future := time.Now().Add(time.Hour)
	if err := os.Chtimes(last, future, future); err != nil {
		t.Fatal(err)
	}
	for _, sort := range []string{"size", "modified"} {
		r := p.call(t, "glob", map[string]any{"pattern": "*", "sort": sort, "limit": 1})
		if string(r.Data) != fmt.Sprintf("[%q]", filepath.Base(last)) || r.Truncated {
			t.Errorf("%s: %s, truncated %t", sort, r.Data, r.Truncated)
		}
	}
	var found []string
	for cursor, pages := "", 0; ; pages++ {
		args := map[string]any{"pattern": "*", "sort": "size", "limit": 30_000}
		if cursor != "" {
			args["cursor"] = cursor
		}
		r := p.call(t, "glob", args)
		var some []string
		var about listed
		if err := json.Unmarshal(r.Data, &some); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(r.Metadata, &about); err != nil {
			t.Fatal(err)
		}
		found, cursor = append(found, some...), about.Next
		if pages == 1 {
			if !r.Truncated || !strings.Contains(r.Cut, "a sorted list ends after 50000 files") || cursor != "" {
				t.Errorf("truncated %t, cut %q, next %q", r.Truncated, r.Cut, cursor)
			}
			break
		}
		if r.Truncated || cursor == "" {
			t.Fatalf("truncated %t, cut %q, next %q", r.Truncated, r.Cut, cursor)
		}
	}
	if len(found) != 50_000 || found[0] != filepath.Base(last) {
		t.Errorf("%d files, the first is %q", len(found), found[0])
	}
	// bm25 ranks fewer: it does not say that the best of some are the best.
	r := p.call(t, "search", map[string]any{"mode": "bm25", "query": "zebra", "limit": 1})
	if !r.Truncated || !strings.Contains(r.Cut, "bm25 ranks no more than 20000 files") || !strings.Contains(r.Output, "bm25 ranks no more") {
		t.Errorf("truncated %t, cut %q: %s", r.Truncated, r.Cut, r.Output)
	}
}

// TestWhatIsNotSearchedIsTold: in a folder by a note, and a file that was named by an error.
func TestWhatIsNotSearchedIsTold(t *testing.T) {
	t.Parallel()
	const utf16 = "\xff\xfew\x00o\x00r\x00d\x00"
	p := workspace(t, map[string]string{"a.txt": "word", "d/b.bin": "\x00word", "u/c.txt": utf16, "large/l.txt": "word", "other/large.txt": "word", "e/f.bin": "\x00", "e/t.txt": "word"})
	for _, name := range []string{"large/l.txt", "other/large.txt"} {
		if err := os.Truncate(filepath.Join(p.dir, name), 33<<20); err != nil {
			t.Fatal(err)
		}
	}
	for _, tool := range []string{"grep", "search"} {
		args := func(path string) map[string]any {
			if tool == "grep" {
				return map[string]any{"path": path, "pattern": "word"}
			}
			return map[string]any{"path": path, "mode": "bm25", "query": "word"}
		}
		for path, want := range map[string]string{
			"d": "nothing was found; binary files were not searched: 1", "u": "files in UTF-16 were not searched, only UTF-8 is: 1",
			"large": "MiB were not searched: 1", ".": "MiB were not searched: 2", "e": "",
		} {
			r := p.call(t, tool, args(path))
			if notes := strings.Join(r.Notes, "\n"); r.ExitCode != 0 || !strings.Contains(notes, want) || want == "" && notes != "" {
				t.Errorf("%s %s: %d %q", tool, path, r.ExitCode, r.Notes)
			}
		}
		p.refusedFor(t, tool, args("d/b.bin"), "d/b.bin is a binary file of 5 bytes")
		p.refusedFor(t, tool, args("u/c.txt"), "u/c.txt is a binary file of 10 bytes")
		p.refusedFor(t, tool, args("large/l.txt"), "large/l.txt is larger than")
	}
}
