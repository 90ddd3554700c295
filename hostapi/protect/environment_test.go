package protect

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPartsOfAHomeCountByTheirNames: also if nothing exists yet, or a link does; once, however often the
// environment is asked.
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
	for environment, want := range map[string]Paths{
		"XDG_CONFIG_HOME=" + link + " ZDOTDIR=" + link + " GIT_CONFIG_GLOBAL=" + gone + " GIT_CONFIG_SYSTEM=./relative": {
			Elsewhere: map[string][]string{link: {".config", ""}, conf: {".config", ""}, gone: {".gitconfig"}, "relative": {".gitconfig"}},
		},
		"HOME=" + link:                       {Homes: []string{conf}, Elsewhere: map[string][]string{link: {""}}},
		"HOME=" + gone + " HOME=" + conf:     {Homes: []string{conf}},
		"HOME=" + gone:                       {Homes: []string{gone}},
		"HOME=/":                             {},
		"HOME= XDG_DATA_HOME= =x HOME":       {},
		"HOME=. XDG_DATA_HOME=" + dir + "//": {Elsewhere: map[string][]string{".": {""}, dir: {".local/share"}}},
	} {
		list := strings.Fields(environment)
		got := Paths{}.InEnvironment(list, dir).InEnvironment(list)
		if !slices.Equal(got.Homes, want.Homes) || !maps.EqualFunc(got.Elsewhere, want.Elsewhere, slices.Equal) {
			t.Errorf("%s: %q and %q, not %+v", environment, got.Homes, got.Elsewhere, want)
		}
	}
	own := Paths{Homes: []string{gone}, Elsewhere: map[string][]string{conf: {""}}}
	if got := own.InEnvironment([]string{"HOME=" + conf, "XDG_CONFIG_HOME=" + conf}); len(own.Homes) != 1 || len(own.Elsewhere[conf]) != 1 || len(got.Homes) != 2 || len(got.Elsewhere[conf]) != 2 {
		t.Errorf("%+v became %+v", own, got)
	}
}

// TestFoldersOfPATHStandForPrograms: those in a home that may be written, and no home itself.
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
		got := Paths{}.InEnvironment([]string{"HOME=" + home, "PATH=" + path}, writable).Elsewhere
		if !slices.Equal(slices.Sorted(maps.Keys(got)), want) || slices.ContainsFunc(want, func(folder string) bool { return !slices.Equal(got[folder], []string{".local/bin"}) }) {
			t.Errorf("%s: %q, not %q", writable, got, want)
		}
	}
}
