package sandbox_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// TestSecretsInGrantsStayHidden: places of secrets are hidden in the folders of PATH and of
// toolchains too, and such a folder that is itself a place of secrets is no grant.
func TestSecretsInGrantsStayHidden(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"home/.local/share/keyrings/key": "secret-key", "home/.local/share/notes": "notes", "home/.aws/bin/x": "secret-aws", "w/x": "",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // as installed
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil { //nolint:gosec // only the sandbox hides it
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(dir, "home/.local/share"), filepath.Join(dir, "share")); err != nil {
		t.Fatal(err)
	}
	box := open(t, sandbox.Policy{
		Workspace: filepath.Join(dir, "w"), Home: filepath.Join(dir, "home"), Path: os.Getenv("PATH") + ":" + filepath.Join(dir, "home/.aws/bin"),
		Toolchains: []string{filepath.Join(dir, "share")},
	})
	if !whole(t, box) {
		return
	}
	got := line(t, box, filepath.Join(dir, "w"), "cat ../share/notes; grep -rs secret ../share/ ../home/ 2>/dev/null")
	if strings.Contains(got.out, "secret") || !strings.HasPrefix(got.out, "notes") {
		t.Errorf("%+v", got)
	}
}

// TestPlacesFollowNoLinkOfTheirOwn: wherever the link lies on the way, and however the place is
// named.
func TestPlacesFollowNoLinkOfTheirOwn(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"w/real", "outside/bin"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"named": "w", "w/planted": "../outside", "operator": "w/planted", "good": "outside", "into": "w/real", "w/real/loop": "loop"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, place := range []string{"w", "named"} {
		places := sandbox.NewPlaces("", filepath.Join(dir, place))
		for name, want := range map[string]string{
			"good/bin": "outside/bin", "into": "w/real", "w/real": "w/real", "outside": "outside", "w/planted/bin": "", "operator/bin": "", "named/planted": "", "missing": "", "into/loop": "",
		} {
			got, ok := places.Follow(filepath.Join(dir, name))
			if ok != (want != "") || ok && got != filepath.Join(dir, want) {
				t.Errorf("%s by the place %s: %s %v, want %q", name, place, got, ok, want)
			}
		}
		if !places.Hold(filepath.Join(dir, "w/real")) || places.Hold(filepath.Join(dir, "wall")) || places.Hold(dir) {
			t.Errorf("%s holds the wrong ones", place)
		}
	}
}

// TestPlacesFollowAsTheSystemDoes: after a link, .. is the parent of its target, not of its
// name.
func TestPlacesFollowAsTheSystemDoes(t *testing.T) {
	t.Parallel()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"deep/er", "deep/keys", "keys"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{
		"a": "deep/er", "up": "a/../keys", "far": "./deep//../up/.", "whole": base + "/a/../keys", "above": "deep/er/../../../../../../../../../..", "loop": "loop", "none": "a/../none",
	} {
		if err := os.Symlink(to, filepath.Join(base, link)); err != nil {
			t.Fatal(err)
		}
	}
	places := sandbox.NewPlaces("/nowhere")
	for _, name := range []string{"a", "up", "far", "whole", "above", "loop", "none", "keys", "up/../er"} {
		want, err := filepath.EvalSymlinks(base + "/" + name)
		got, ok := places.Follow(base + "/" + name)
		if got != want || ok != (err == nil) {
			t.Errorf("%s leads to %q, %t; the system has %q, %v", name, got, ok, want, err)
		}
	}
}
