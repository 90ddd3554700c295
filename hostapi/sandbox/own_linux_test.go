package sandbox_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"github.com/scriptrun/scriptrun/hostapi/sandbox/homes"
)

// newOwn is a new home, and a workspace.
func newOwn(t *testing.T) (own, workspace string) {
	t.Helper()
	workspace = t.TempDir()
	own, err := homes.Folder{Path: filepath.Join(t.TempDir(), "homes")}.For(workspace)
	if err != nil {
		t.Fatal(err)
	}
	return own, workspace
}

// hidesOwn reports whether this machine can give a folder another name for commands.
func hidesOwn(measures []hostapi.Measure) bool {
	return slices.ContainsFunc(measures, func(m hostapi.Measure) bool { return m.Name == "hidden home" && m.Gap == "" })
}

// TestOwnFoldersGetNewNames: when a box is opened, when a command in it has ended, and when it
// is closed or its host is gone.
func TestOwnFoldersGetNewNames(t *testing.T) {
	t.Parallel()
	own, workspace := newOwn(t)
	policy := sandbox.Policy{Workspace: workspace, Own: own}
	first, second := open(t, policy), open(t, policy)
	if !hidesOwn(first.Measures()) {
		return
	}
	had := []string{"home"}
	renamed := func(when string) {
		t.Helper()
		path, _, err := homes.Find(own)
		if err != nil || slices.Contains(had, filepath.Base(path)) {
			t.Fatalf("%s it is %s, after %q: %v", when, path, had, err)
		}
		had = append(had, filepath.Base(path))
	}
	renamed("when boxes are open")
	for _, box := range []*sandbox.Box{first, second, first} {
		if got := line(t, box, workspace, "cd "+own+" && echo x >> y && pwd"); got.out != own+"\n" {
			t.Errorf("%+v", got)
		}
		renamed("after a command")
	}
	if text, err := os.ReadFile(filepath.Join(filepath.Dir(own), had[len(had)-1], "y")); string(text) != "x\nx\nx\n" {
		t.Errorf("commands wrote %q, %v", text, err)
	}
	second.Close()
	renamed("after the end of a box")
	// Somebody clears it while commands may run.
	if err := (homes.Folder{Path: filepath.Dir(filepath.Dir(own))}).Remove(workspace); err != nil {
		t.Fatal(err)
	}
	if got := line(t, first, workspace, "echo x"); got.out != "x\n" || !first.Alive() {
		t.Errorf("when it is gone: %+v", got)
	}
}

// TestOwnFoldersWithoutAView: commands see the folder under its own name, even if it had
// another one, and a measure says so.
func TestOwnFoldersWithoutAView(t *testing.T) {
	t.Parallel()
	own, workspace := newOwn(t)
	if err := os.Rename(own, filepath.Join(filepath.Dir(own), "HIDDEN")); err != nil {
		t.Fatal(err)
	}
	box, err := sandbox.OpenWithoutSpaces(sandbox.Policy{Workspace: workspace, Own: own})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(box.Close)
	if hidesOwn(box.Measures()) {
		t.Errorf("%+v", box.Measures())
	}
	if got := line(t, box, workspace, "echo x > "+own+"/y && cat "+own+"/y"); got.out != "x\n" {
		t.Errorf("%+v", got)
	}
	if text, err := os.ReadFile(filepath.Join(own, "y")); string(text) != "x\n" {
		t.Errorf("%q, %v", text, err)
	}
}
