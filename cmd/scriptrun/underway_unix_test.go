//go:build unix

package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/protect"
	"github.com/scriptrun/scriptrun/hostapi/shell"
	"github.com/scriptrun/scriptrun/scripttools/settings"
)

// TestWhatCommandsOfOthersMayHaveMadeIsDoubted, as long as they are under way: files that they changed,
// files that came with a folder, what is not there just now, also where the folder was moved or reached by a link.
func TestWhatCommandsOfOthersMayHaveMadeIsDoubted(t *testing.T) {
	t.Parallel()
	top := canonical(t.TempDir())
	workspace, folder := filepath.Join(top, "w"), filepath.Join(top, "underway")
	in := func(names ...string) string { return filepath.Join(append([]string{workspace}, names...)...) }
	for _, name := range []string{"old.js", "stash/q.js", "lib/m.js", "lib/deep/n.js", "kept/k.js", "held/t.js", "lib/h.js"} {
		writeText(t, in(name), "x")
	}
	writeText(t, filepath.Join(top, "elsewhere", "e.js"), "x")
	writeText(t, filepath.Join(top, "one.js"), "x")
	if err := os.Symlink(workspace, filepath.Join(top, "link")); err != nil {
		t.Fatal(err)
	}
	awaitNow(t, filepath.Join(top, "elsewhere", "e.js"))
	_, end, err := sayServed(folder, []string{filepath.Join(top, "link"), filepath.Join(top, "one.js")}, nil, []string{in("held"), in("lib", "h.js"), in("absent.js")})
	if err != nil {
		t.Fatal(err)
	}
	u := underway{folder: folder}
	expect := func(want bool, paths ...string) {
		t.Helper()
		for _, path := range paths {
			if got := u.doubts(path); got != want {
				t.Errorf("%s is doubted: %t", path, got)
			}
		}
	}
	expect(false, in("old.js"), in("stash", "q.js"), in("lib", "m.js"), filepath.Join(top, "elsewhere", "e.js"))
	expect(true, in("none.js"))
	writeText(t, filepath.Join(top, "one.js"), "changed") // where a file alone may be written
	expect(true, filepath.Join(top, "one.js"))
	if err := os.Rename(in("stash"), in("src")); err != nil {
		t.Fatal(err)
	}
	writeText(t, in("lib", "deep", "o.js"), "x")
	for _, name := range []string{"held/t.js", "lib/h.js", "absent.js"} {
		writeText(t, in(name), "changed")
	}
	expect(true, in("src", "q.js"), in("lib", "deep", "o.js"), in("lib", "deep", "n.js"), in("absent.js"))
	expect(false, in("held", "t.js"), in("lib", "h.js"))
	expect(false, in("old.js"), in("lib", "m.js"), in("kept", "k.js"))
	if err := os.Remove(filepath.Join(top, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(top, "elsewhere"), filepath.Join(top, "link")); err != nil {
		t.Fatal(err)
	}
	expect(true, in("src", "q.js"))
	expect(false, filepath.Join(top, "elsewhere", "e.js"))
	if !u.others([]string{in("lib")}).busy || !u.others([]string{top}).busy || u.others([]string{filepath.Join(top, "elsewhere")}).busy {
		t.Error("it is busy in the workspace alone")
	}
	if err := os.Remove(in("lib", "h.js")); err != nil { // nobody holds what comes in its place
		t.Fatal(err)
	}
	writeText(t, in("lib", "h.js"), "x")
	expect(true, in("lib", "h.js"))
	moved := filepath.Join(top, "moved")
	if err := os.Rename(workspace, moved); err != nil {
		t.Fatal(err)
	}
	expect(true, filepath.Join(moved, "src", "q.js"))
	expect(false, filepath.Join(moved, "old.js"))
	end()
	expect(false, filepath.Join(moved, "src", "q.js"))
}

// awaitNow waits until what is written now is newer than a file.
func awaitNow(t *testing.T, path string) {
	t.Helper()
	was, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	probe := filepath.Join(t.TempDir(), "probe")
	for later := false; !later; time.Sleep(time.Millisecond) { // nothing tells
		if err := os.WriteFile(probe, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		now, err := os.Stat(probe)
		if err != nil {
			t.Fatal(err)
		}
		later = now.ModTime().Sub(was.ModTime()) > time.Millisecond
	}
}

func writeText(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestHeldIsWhatIsEnforced, and not what is excepted.
func TestHeldIsWhatIsEnforced(t *testing.T) {
	t.Parallel()
	dir := canonical(t.TempDir())
	tools, other := filepath.Join(dir, "tools"), filepath.Join(dir, "lib", "m.js")
	for profile, keeps := range map[shell.Profile]bool{shell.ProfileWorkspace: true, shell.ProfileOff: false} {
		h := &host{settings: &settings.Settings{}, protected: protect.Paths{Further: []string{tools, other}, Except: []string{"lib"}}}
		h.settings.Sandbox.Profile = profile
		var err error
		if h.shell, err = h.shellOf(dir, "", h.protected); err != nil {
			t.Fatal(err)
		}
		h.shell.Sandbox.Homes = ""
		enforced := slices.ContainsFunc(h.shell.Confinement(), func(m hostapi.Measure) bool { return m.Name == "protected paths" && m.Gap == "" })
		var want []string
		if keeps && enforced {
			want = []string{tools}
		}
		if got := h.heldIn(dir); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", profile, got, want)
		}
		if err := h.shell.Close(); err != nil {
			t.Error(err)
		}
	}
}
