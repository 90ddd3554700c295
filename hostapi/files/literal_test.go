package files

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"pgregory.net/rapid"
)

func TestNeededTexts(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		"needle": "needle", `\bfunc\s+(\w+)`: "func", "TODO|FIXME": "TODO FIXME", "a(bc)+d?": "bc", "[n]e{2}d+le$": "need", "x*": "", "a": "", "ab|c": "", "(abc|defg)hi": "abc defg",
		"(?i)Hooks and": "fold  and", "(?i)kk": "", "abcé": "abcé", "(?i)é漢ab": "fold ab", "ab+c": "ab", `\d+ms`: "ms", "(?:abc)?": "", "a|b": "",
	} {
		texts, folded := needed(pattern, false)
		got := strings.Join(texts, " ")
		if folded {
			got = "fold " + got
		}
		if got != want {
			t.Errorf("%s: %q, want %q", pattern, got, want)
		}
	}
}

// TestNeededTextsHideNothing: the lines that match are the same with them and without.
func TestNeededTextsHideNothing(t *testing.T) {
	t.Parallel()
	patterns := []string{"ab", "aab|bba", "a+b", "^ab", "ba$", `\bab`, "(?i)ab", "AB", "abab", "(ab|ba)c", "a.b", "[ab]cb", "ac{2}b", `\Aab`, "(a|b)+c", "kab", "(?i)kab|sc", "ſc"}
	rapid.Check(t, func(t *rapid.T) {
		pattern, fold := rapid.SampledFrom(patterns).Draw(t, "pattern"), rapid.Bool().Draw(t, "fold")
		text := rapid.StringOfN(rapid.RuneFrom([]rune("ababcABC\n\r\nkKsſK ")), 0, 200, -1).Draw(t, "text")
		m, err := compileMatcher(pattern, fold)
		if err != nil {
			t.Fatal(err)
		}
		m.piece = rapid.IntRange(1, 300).Draw(t, "piece")
		var found [2][]string
		for i := range found {
			if err := m.lines(t.Context(), []byte(text), func(number, at, end int) bool {
				found[i] = append(found[i], fmt.Sprint(number, at, end))
				return true
			}); err != nil {
				t.Fatal(err)
			}
			m.needed = nil
		}
		if !slices.Equal(found[0], found[1]) {
			t.Fatalf("%s in %q: %q, and all %q", pattern, text, found[0], found[1])
		}
	})
}

// TestEndsOfLinesOfWindows: "\r\n" ends a line for "$" too, also where a text is searched in pieces.
func TestEndsOfLinesOfWindows(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{"ba$": "[1 3]", "[ab]$": "[1 3]", "^$": "[2]", "c$": "[]", "(ab|x*)$": "[1 2 3]", `\r`: "[1 2 3]", `a\r$`: "[1 3]", `^\r$`: "[2]", "b.\r": "[1 3]", `\w\b$`: "[1 3]",
		`a\x0d$`: "[1 3]", `a\x{d}`: "[1 3]", `a[\r]`: "[1 3]", `a[\n\r]$`: "[1 3]", `a(?:\\r)?$`: "[1 3]", `[^\\r]a$`: "[1 3]", `a[^\r]?$`: "[1 3]", `a\s?$`: "[1 3]"} {
		m, err := compileMatcher(pattern, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, needed := range [][]string{m.needed, nil} {
			m.needed = needed
			found := []int{}
			if err := m.lines(t.Context(), []byte("ba\r\n\r\nba\r"), func(number, _, _ int) bool {
				found = append(found, number)
				return true
			}); err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(found); got != want {
				t.Errorf("%s, of which %q: %s, want %s", pattern, needed, got, want)
			}
		}
	}
}

// locked is a folder in which some names cannot be opened.
type locked struct{ folder }

func (l locked) sub(name string) (folder, error) {
	d, err := l.folder.sub(name)
	switch {
	case err != nil:
		return nil, err
	case name == "locked":
		d.close()
		return nil, fs.ErrPermission
	}
	return locked{d}, nil
}

func (l locked) file(name string) (*os.File, error) {
	if name == "locked.txt" {
		return nil, fs.ErrPermission
	}
	return l.folder.file(name)
}

func (l locked) beneath(string) (folder, bool, error) { return nil, false, nil }

// TestWalksSayWhatTheyCannotRead, and read the rest.
func TestWalksSayWhatTheyCannotRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a/locked/x.txt", "a/y.txt", "locked.txt", "z.txt"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("word\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	w.root = locked{w.root}
	t.Cleanup(func() { w.Close() })
	for args, want := range map[string]string{
		`grep {"pattern":"word"}`: `"unreadable":2`, `glob {"pattern":"**"}`: `"unreadable":1`, `search {"mode":"bm25","query":"word"}`: `"unreadable":2`,
	} {
		name, args, _ := strings.Cut(args, " ")
		for _, tool := range w.Tools() {
			if tool.Name() != name {
				continue
			}
			r, err := tool.Invoke(t.Context(), hostapi.Call{Tool: name, Args: []byte(args)})
			if err != nil || !strings.Contains(string(r.Metadata), want) || !strings.Contains(r.Output, "y.txt") || !strings.Contains(r.Output, "z.txt") || len(r.Notes) != 1 {
				t.Errorf("%s: %v %+v %s", name, err, r, r.Metadata)
			}
		}
	}
}
