package sandbox_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// TestPlacesByALinkKeepWhatIsProtected: a place that is named through a link is written by both
// names, and what is protected or hidden in it by none.
func TestPlacesByALinkKeepWhatIsProtected(t *testing.T) {
	t.Parallel()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	place, named := filepath.Join(top, "real"), filepath.Join(top, "links", "named")
	for _, dir := range []string{filepath.Join(place, "lib"), filepath.Join(place, "hooks"), filepath.Dir(named), filepath.Join(top, "w")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../real", named); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ write, read []string }{
		{[]string{named}, nil},
		{[]string{named + "/lib", named + "/hooks"}, nil},
		{[]string{place}, []string{named}},
		{[]string{named, named + "/lib"}, []string{named + "/hooks"}},
	} {
		box := open(t, sandbox.Policy{Workspace: filepath.Join(top, "w"), Write: c.write, Read: c.read, Protect: []string{filepath.Join(place, "hooks")}, Pin: []string{place}})
		if !whole(t, box) {
			return
		}
		got := line(t, box, filepath.Join(top, "w"), "for d in "+place+" "+named+"; do echo x > $d/lib/x && rm $d/lib/x && echo written; { echo x > $d/hooks/x; } 2>/dev/null && echo planted; done; true")
		box.Close()
		if strings.TrimSpace(got.out) != "written\nwritten" {
			t.Errorf("write %q, read %q: %+v", c.write, c.read, got)
		}
	}
}

// TestPlacesHoldWhatLinksLeadThere, also where the rest of a path does not exist.
func TestPlacesHoldWhatLinksLeadThere(t *testing.T) {
	t.Parallel()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(top, "real", "in"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", filepath.Join(top, "named")); err != nil {
		t.Fatal(err)
	}
	for place, paths := range map[string]map[string]bool{
		"real":            {"named": true, "named/in": true, "named/none/x": true, "real/x": true, "other": false},
		"named":           {"real/in": true, "named/x": true, "other": false},
		"named/none":      {"real/none/x": true, "named/none": true, "real/in": false, "named": false},
		"named/in/../out": {"real/out/x": true, "real/in": false},
	} {
		places := sandbox.NewPlaces(filepath.Join(top, place))
		for path, want := range paths {
			if got := places.Hold(filepath.Join(top, path)); got != want {
				t.Errorf("%s holds %s: %t", place, path, got)
			}
		}
	}
	if (sandbox.Places{}).Hold(filepath.Join(top, "real")) {
		t.Error("no place holds a path")
	}
}
