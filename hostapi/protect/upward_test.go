package protect

import (
	"path/filepath"
	"testing"
)

// TestWalksFromTheRootFolderEnd: what is looked at on the way up ends at the root folder, also if
// commands may write there.
func TestWalksFromTheRootFolderEnd(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	top := filepath.VolumeName(dir) + string(filepath.Separator)
	g := NewGuard(top, Paths{Settings: []string{filepath.Join(dir, "config.toml")}})
	if g.noteModes(asked{}); g.modes[dir] == nil || g.modes[top] == nil {
		t.Errorf("%v", g.modes)
	}
	l := newLook(newEffort(t.Context(), mostTime), top, Paths{}, indexes{}, nil)
	l.listings = listings{top: {}, dir: {}}
	if all := g.putNew(l.effort, l, "", 0); len(all) > 0 {
		t.Errorf("%v", all)
	}
	if got := g.deletedFrom(l.effort, filepath.Join(dir, "x")); got != "" || l.effort.steps < mostSteps-100 {
		t.Errorf("%q, %d steps left", got, l.effort.steps)
	}
	for _, home := range []string{top, top + string(filepath.Separator)} {
		if !l.stampTo(home, dir) {
			t.Errorf("%s is not there", dir)
		}
	}
	k := kept{paths: map[string]bool{dir: true}, tops: []string{top}, wholes: map[string]bool{}}
	if w := k.weights(); w[dir] != 1 {
		t.Errorf("%v", w)
	}
	if got := around("", dir); len(got) > 0 {
		t.Errorf("%q", got)
	}
}
