//go:build unix

package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestServersSayWhatTheyServe, to all that start later, until they end, however they end.
func TestServersSayWhatTheyServe(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "served")
	first, endFirst, err := sayServed(folder, []string{"/a", "/b"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, endSecond, err := sayServed(folder, []string{"/c"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	expect := func(want ...string) {
		t.Helper()
		got := servedElsewhere(folder, true)
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	expect("/a", "/b", "/c")
	if got := toldElsewhere(folder, first, true); len(got) != 1 || string(got[0].places[0].Path) != "/c" || got[0].since.IsZero() {
		t.Errorf("others say %+v", got)
	}
	endFirst()
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 {
		t.Errorf("the first left something: %v, %v", left, err)
	}
	expect("/c")
	for name, text := range map[string]string{"killed": `[{"path": "L2Q="}]`, "broken": "[", ".begun": `[{"path": "L2U="}]`} { // nobody has a lock on them
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	expect("/c")
	endSecond()
	expect()
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 || left[0].Name() != ".begun" {
		t.Errorf("%v, %v", left, err)
	}
	odd := filepath.Join(folder, "odd\xff")
	_, endOdd, err := sayServed(folder, []string{odd}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	expect(odd)
	endOdd()
	if _, _, err := sayServed("", []string{"/a"}, nil, nil); err == nil {
		t.Error("it is told nowhere, and nobody says so")
	}
	if got := servedElsewhere(filepath.Join(folder, "none"), true); len(got) > 0 {
		t.Errorf("%q", got)
	}
}
