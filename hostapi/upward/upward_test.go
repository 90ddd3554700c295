package upward_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/upward"
)

// TestWalksEnd: every walk ends, at the root folder too.
func TestWalksEnd(t *testing.T) {
	t.Parallel()
	for at, want := range map[string][]string{
		"/a/b": {"/a/b", "/a", "/"}, "/": {"/"}, "//": {"/"}, "/a/../..": {"/"}, "": {"."}, ".": {"."}, "a/b/": {"a/b", "a", "."}, "..": {"..", "."}, "../..": {"../..", "..", "."},
	} {
		got := slices.Collect(upward.From(filepath.FromSlash(at)))
		for i := range got {
			got[i] = filepath.ToSlash(got[i])
		}
		if !slices.Equal(got, want) {
			t.Errorf("From(%q): %q; want %q", at, got, want)
		}
		if got := slices.Collect(upward.FromSlash(at)); !slices.Equal(got, want) {
			t.Errorf("FromSlash(%q): %q; want %q", at, got, want)
		}
	}
	for _, c := range []struct {
		top, at string
		want    []string
	}{
		{"/", "/a/b", []string{"/a/b", "/a", "/"}}, {"/", "/", []string{"/"}}, {"//", "/a", []string{"/a", "/"}},
		{"/a", "/a/b/c", []string{"/a/b/c", "/a/b", "/a"}}, {"/a/", "/a/b", []string{"/a/b", "/a"}}, {"/a", "/a", []string{"/a"}},
		{"/a", "/ab/c", nil}, {"/a/b", "/a", nil}, {"/a", "b", nil}, {"a", "a/..b/c", []string{"a/..b/c", "a/..b", "a"}}, {".", "..", nil},
	} {
		got := slices.Collect(upward.Within(filepath.FromSlash(c.top), filepath.FromSlash(c.at)))
		for i := range got {
			got[i] = filepath.ToSlash(got[i])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("Within(%q, %q): %q; want %q", c.top, c.at, got, c.want)
		}
	}
	for range upward.From("/a/b") {
		break // a caller may leave
	}
}
