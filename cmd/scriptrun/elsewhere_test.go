package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// TestPartsOfAHomeCountByTheirNames: also if nothing exists yet, or a link does.
func TestPartsOfAHomeCountByTheirNames(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	conf, link, gone := filepath.Join(dir, "conf"), filepath.Join(dir, "link"), filepath.Join(dir, "gone")
	if err := os.Mkdir(conf, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(conf, link); err != nil {
		t.Fatal(err)
	}
	named := map[string]string{"XDG_CONFIG_HOME": link, "ZDOTDIR": link, "GIT_CONFIG_GLOBAL": gone, "GIT_CONFIG_SYSTEM": "./relative"}
	got := elsewhere(func(name string) string { return named[name] })
	if want := map[string][]string{link: {".config", ""}, conf: {".config", ""}, gone: {".gitconfig"}, "relative": {".gitconfig"}}; !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%q, not %q", got, want)
	}
	for home, want := range map[string]map[string][]string{link: {link: {""}, conf: {""}}, conf: {}, gone: {gone: {""}}} {
		if got := elsewhere(func(name string) string { return map[string]string{"HOME": home}[name] }); !maps.EqualFunc(got, want, slices.Equal) {
			t.Errorf("HOME=%s: %q, not %q", home, got, want)
		}
	}
}

// TestFoldersOfPATHStandForPrograms: those in a home that commands may write, and no home itself.
func TestFoldersOfPATHStandForPrograms(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home, link := filepath.Join(dir, "home"), filepath.Join(dir, "link")
	if err := os.MkdirAll(filepath.Join(home, "project", "tools"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(home, link); err != nil {
		t.Fatal(err)
	}
	bin, tools := filepath.Join(home, "bin"), filepath.Join(home, "project", "tools")
	path := strings.Join([]string{bin, home, "bin", dir, "", filepath.Join(link, "project", "tools") + "/"}, string(filepath.ListSeparator))
	for writable, want := range map[string][]string{
		home: {bin, tools}, link: {bin, tools}, dir: {bin, tools}, filepath.Join(home, "project"): nil, bin: nil,
	} {
		if got := programs(sandbox.NewPlaces(writable), home, path); !slices.Equal(got, want) {
			t.Errorf("%s: %q, not %q", writable, got, want)
		}
	}
}
