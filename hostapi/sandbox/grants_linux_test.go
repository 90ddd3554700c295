package sandbox_test

import (
	"path/filepath"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// TestBeneath: a path is beneath another as [filepath.Rel] says, whatever its spelling.
func TestBeneath(t *testing.T) {
	t.Parallel()
	paths := []string{"/", "/a", "/a/", "/a/b", "/ab", "/a/../b", "/a/./b", "//a//b", "/a/..b", "/a/b/..", "/..", "/a b", ""}
	for _, path := range paths {
		for _, dir := range paths {
			rel, err := filepath.Rel(dir, path)
			if want := err == nil && filepath.IsLocal(rel); sandbox.Beneath(path, dir) != want {
				t.Errorf("%q in %q: %t", path, dir, !want)
			}
		}
	}
}
