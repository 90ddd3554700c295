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
	first, endFirst, err := sayServed(folder, []string{"/a", "/b"})
	if err != nil {
		t.Fatal(err)
	}
	_, endSecond, err := sayServed(folder, []string{"/c"})
	if err != nil {
		t.Fatal(err)
	}
	expect := func(want ...string) {
		t.Helper()
		got := servedElsewhere(folder)
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	expect("/a", "/b", "/c")
	if got := toldElsewhere(folder, first); len(got) != 1 || !slices.Equal(got[0].paths, []string{"/c"}) || got[0].since.IsZero() {
		t.Errorf("others say %+v", got)
	}
	endFirst()
	expect("/c")
	for name, text := range map[string]string{"killed": `["/d"]`, "broken": "[", ".begun": `["/e"]`} { // nobody has a lock on them
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
	if _, end, err := sayServed("", []string{"/a"}); err != nil {
		t.Error(err)
	} else {
		end()
	}
	if got := servedElsewhere(filepath.Join(folder, "none")); len(got) > 0 {
		t.Errorf("%q", got)
	}
}
