//go:build unix

package settings_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/scriptrun/scriptrun/scripttools/settings"
)

// TestNamesOfProtectedPathsThatAreLinks: a folder of tools is protected as it is named and where
// it is, and an exception for one of the two is one for both.
func TestNamesOfProtectedPathsThatAreLinks(t *testing.T) {
	t.Parallel()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"w/real", "w/in/deep", "out"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"w/tools": "real", "w/far": "../out", "w/way": "in", "other": "w", "c.toml": "w/c.toml", "w/d.toml": "c.toml"} {
		if err := os.Symlink(to, filepath.Join(base, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		workspace, tools, unprotect string
		further, except             []string
	}{
		{"w", "w/tools", "", []string{"w/real", "w/tools"}, nil},
		{"other", "other/tools", "", []string{"w/real", "w/tools"}, nil},
		{"w", "w/tools", "tools", []string{"w/real", "w/tools"}, []string{"tools", "real", "tools"}},
		{"w", "w/tools", "real", []string{"w/real", "w/tools"}, []string{"real", "real", "tools"}},
		{"w", "w/real", "", []string{"w/real"}, nil},
		{"w", "w/real/to/come.js", "", []string{"w/real/to/come.js"}, nil}, // with its folders
		{"w", "w/tools/to/come.js", "", []string{"w/real/to/come.js", "w/tools/to/come.js"}, nil},
		{"w", "w/far", "", []string{"out", "w/far"}, nil},
		{"w", "w/way/deep", "", []string{"w/in/deep", "w/way/deep"}, nil},
		{"w", "other/in", "", []string{"w/in", "other/in"}, nil},
		{"w", "out", "", []string{"out"}, nil},
		{"w", "w", "", nil, nil},
	} {
		only, text := filepath.Join(base, "mine.toml"), ""
		if c.unprotect != "" {
			text = "[sandbox]\nunprotect = [\"" + c.unprotect + "\"]\n"
		}
		put(only, text)
		s, err := settings.Load(settings.Sources{Only: only, Workspace: filepath.Join(base, c.workspace)})
		if err != nil {
			t.Fatal(err)
		}
		protected, err := s.Protected(filepath.Join(base, c.tools))
		if err != nil {
			t.Errorf("%+v: %v", c, err)
		}
		var further []string
		for _, path := range c.further {
			further = append(further, filepath.Join(base, path))
		}
		if !slices.Equal(protected.Further, further) || !slices.Equal(protected.Except, c.except) {
			t.Errorf("%s: %q except %q", c.tools, protected.Further, protected.Except)
		}
	}
	put(filepath.Join(base, "w/c.toml"), "")
	for _, only := range []string{"c.toml", "w/d.toml", "w/c.toml"} {
		s, err := settings.Load(settings.Sources{Only: filepath.Join(base, only), Workspace: filepath.Join(base, "w")})
		if err != nil {
			t.Fatal(err)
		}
		protected, err := s.Protected()
		if err != nil || !slices.Contains(protected.Further, filepath.Join(base, "w/c.toml")) || !slices.Contains(protected.Further, filepath.Join(base, only)) {
			t.Errorf("%s: %q, %v", only, protected.Further, err)
		}
	}
}
