//go:build unix

package mcptools_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/mcptools"
	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// TestProgramsThatCommandsMayWriteAreNotStarted: neither one in such a folder of
// PATH, nor one that is a link to there, nor one behind a link in there; the next
// on PATH is.
func TestProgramsThatCommandsMayWriteAreNotStarted(t *testing.T) {
	t.Parallel()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	work, out := filepath.Join(base, "work"), filepath.Join(base, "out")
	for _, dir := range []string{work + "/bin", out + "/bin", out + "/linked", out + "/own"} {
		if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // programs are there
			t.Fatal(err)
		}
	}
	planted := "#!/bin/sh\ntouch " + base + "/ran\n"
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		work + "/bin/prog": planted, out + "/bin/other": planted, out + "/own/prog": "#!/bin/sh\nexec " + self + " serve\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil { //nolint:gosec // it is run
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{out + "/linked/prog": work + "/bin/prog", work + "/there": out + "/bin"} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	places := sandbox.NewPlaces(work)
	for _, path := range []string{work + "/bin", out + "/linked", work + "/there"} {
		name := "prog"
		if path == work+"/there" {
			name = "other"
		}
		_, err := mcptools.Connect(t.Context(), mcptools.Server{Name: "sorts", Command: []string{name}, Path: path + ":/usr/bin:/bin", Avoid: places})
		if err == nil || !strings.Contains(err.Error(), "only where commands may write, which does not count ("+path+"/"+name+")") {
			t.Errorf("%s: %v", path, err)
		}
		if name == "prog" {
			connect(t, mcptools.Server{Command: []string{name}, Path: path + ":" + out + "/own:/usr/bin:/bin", Avoid: places})
		}
	}
	if err := (mcptools.Server{Name: "x", Command: []string{"x"}, Avoid: places}).Check(); err == nil {
		t.Error("places to avoid without a path are taken")
	}
	if _, err := os.Stat(base + "/ran"); err == nil {
		t.Error("a planted program ran")
	}
	if _, err := mcptools.Connect(t.Context(), mcptools.Server{Name: "sorts", Command: []string{"no-such-program"}, Path: "/usr/bin:/bin", Avoid: places}); err == nil || !strings.Contains(err.Error(), `there is no program "no-such-program"`) {
		t.Errorf("%v", err)
	}
}
