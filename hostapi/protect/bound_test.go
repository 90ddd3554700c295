//go:build linux

package protect

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// manyRepositories makes folders that are repositories, and an index that names them.
func manyRepositories(t *testing.T, dir string, named bool, at func(i int) string, n int) {
	t.Helper()
	var links []string
	for i := range n {
		git := filepath.Join(dir, at(i), ".git")
		if err := os.MkdirAll(filepath.Join(git, "hooks"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(git, "config"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		links = append(links, at(i))
	}
	if named {
		slices.Sort(links)
		if err := os.WriteFile(filepath.Join(dir, ".git", "index"), hostileIndex(links), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWhatIsKeptIsBounded: however many paths there are to protect, a bounded number of files
// and folders is held, and each path lies in one of them.
func TestWhatIsKeptIsBounded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		named bool
		at    func(i int) string
		n     int
		cwd   string
		want  string // that is held as a whole, the first
		free  string // that is not
	}{
		{"some", false, func(i int) string { return fmt.Sprint("r", i) }, 200, "", "", "r0/.git"},
		{"more, side by side", false, func(i int) string { return fmt.Sprint("r", i) }, 300, "", "r3/.git", "r0/.git"},
		{"more, and a command in one", false, func(i int) string { return fmt.Sprint("r", i) }, 300, "r99", "r3/.git", "r99/.git"},
		{"many, side by side", false, func(i int) string { return fmt.Sprint("r", i) }, 600, "r9", "r5", "r9/.git"},
		{"very many in one folder", true, func(i int) string { return fmt.Sprint("m/", i) }, 1200, "", "m", "x"},
		{"very many in folders", true, func(i int) string { return fmt.Sprint("m/", i/20, "/", i) }, 1200, "", "m", "x"},
		{"very many side by side", true, func(i int) string { return fmt.Sprint("r", i) }, 1200, "", ".", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := newRepository(t, "")
			manyRepositories(t, dir, c.named, c.at, c.n)
			g := newGuard(t, dir, Paths{})
			g.most = generous
			v := enter(t, g, Folders{Cwd: filepath.Join(dir, c.cwd)})
			if n := len(v.Held) + len(v.Pins); n > mostKept {
				t.Errorf("%d are kept", n)
			}
			kept := func(path string) bool {
				return slices.ContainsFunc(v.Held, func(held string) bool { return filepath.IsLocal(relTo(held, path)) })
			}
			for i := range c.n {
				if path := filepath.Join(dir, c.at(i), ".git", "config"); !kept(path) {
					t.Fatalf("%s is not kept", path)
				}
			}
			if c.want == "" != (len(v.wholes) == 0) || c.want != "" && relTo(dir, v.wholes[0]) != c.want || c.free != "" && kept(filepath.Join(dir, c.free)) {
				t.Errorf("%d are held as a whole, the first %.1q; %s is kept: %t", len(v.wholes), v.wholes, c.free, kept(filepath.Join(dir, c.free)))
			}
			told := v.Leave()
			again := enter(t, g, Folders{Cwd: filepath.Join(dir, c.cwd)})
			if !slices.Equal(v.Held, again.Held) || !slices.Equal(v.Pins, again.Pins) || v.Key != again.Key {
				t.Error("it is another the next time")
			}
			told = append(told, again.Leave()...)
			if c.want != "" { // from elsewhere others are read-only
				told = append(told, enter(t, g, Folders{Cwd: filepath.Join(dir, c.at(c.n-1))}).Leave()...)
			}
			if len(told) != len(strings.Fields(c.want)) || len(told) > 0 && (!told[0].Whole || told[0].Path != c.want) {
				t.Errorf("told %+v", told)
			}
		})
	}
}
