package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/hosttest"
	"github.com/scriptrun/scriptrun/hostapi/schema"
	"github.com/scriptrun/scriptrun/runtime"
)

// TestSessionWorkspaceHasAllTools: a tool file may call the same tools if its session has a
// workspace of its own.
func TestSessionWorkspaceHasAllTools(t *testing.T) {
	t.Parallel()
	f := &serveFlags{workspaces: filepath.Join(t.TempDir(), "sessions")}
	f.workspace, f.inProcess = t.TempDir(), true
	h, err := f.open(t.Context(), env{stderr: t.Output()}, runtime.Observer{}, purpose{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.close()
	begin, err := f.sessionWorkspace(h)
	if err != nil {
		t.Fatal(err)
	}
	tools, closing, err := begin(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer closing()
	own, err := hostapi.NewRegistry(tools...)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range own.Names() { // what is not checked at the start is checked here
		about := own.Describe(name)
		if _, err := schema.Compile(about.Input); err != nil || !about.Checked {
			t.Errorf("%s: checked: %v: %v", name, about.Checked, err)
		}
	}
	if want := h.runner.Registry().Names(); !slices.Equal(own.Names(), want) {
		t.Errorf("it has %q; the host has %q", own.Names(), want)
	}
}

// TestSessionWorkspaceIsProtectedAlike: what stands for parts of a home does so there too.
func TestSessionWorkspaceIsProtectedAlike(t *testing.T) {
	t.Parallel()
	f := &serveFlags{workspaces: filepath.Join(t.TempDir(), "sessions")}
	f.workspace, f.inProcess = t.TempDir(), true
	h, err := f.open(t.Context(), env{stderr: t.Output()}, runtime.Observer{}, purpose{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.close()
	h.protected.Elsewhere = map[string][]string{"conf": {".config"}}
	begin, err := f.sessionWorkspace(h)
	if err != nil {
		t.Fatal(err)
	}
	tools, closing, err := begin(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer closing()
	write := tools[slices.IndexFunc(tools, func(tool hostapi.Tool) bool { return tool.Name() == "write" })]
	if got := hosttest.Call(t, write, `{"path": "conf/git/config", "content": "x"}`); !strings.Contains(got.Output, "is protected") {
		t.Errorf("%+v", got)
	}
}
