package protect

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestFilesThatRunAsTheirOwnerAreHeld: for commands of root, as far as folders are looked through.
func TestFilesThatRunAsTheirOwnerAreHeld(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	sh(t, dir, "mkdir -p bin w/node_modules; touch plain tool bin/other w/node_modules/third; chmod 4755 tool; chmod 2755 bin/other; chmod 6755 w/node_modules/third; mkdir -m 2755 folder; ln -s tool link; git init -q .; git init -q bin; git init -q w; "+
		"for f in .git/su .git/a/b/su .git/objects/su bin/.git/hooks/su w/.git/info/su; do mkdir -p ${f%/*}; touch $f; chmod 4755 $f; done")
	further := filepath.Join(dir, "w")
	want := []string{filepath.Join(dir, "bin/other"), filepath.Join(dir, "tool"), filepath.Join(further, "node_modules/third")}
	for _, in := range []string{".git/a/b/su", ".git/objects/su", ".git/su", "bin/.git/hooks/su", "w/.git/info/su"} {
		want = append(want, filepath.Join(dir, in))
	}
	slices.Sort(want)
	if os.Geteuid() != 0 {
		want = nil
	}
	g := newGuard(t, dir, Paths{})
	key := ""
	for _, again := range []string{"at first", "again"} {
		v := enter(t, g, Folders{Cwd: dir})
		held := slices.DeleteFunc(slices.Clone(v.Held), func(path string) bool {
			return !slices.Contains(append(want, filepath.Join(dir, "plain"), filepath.Join(dir, "link")), path)
		})
		if !slices.Equal(held, want) || key != "" && v.Key != key {
			t.Errorf("%s %q are held; want %q", again, held, want)
		}
		if by, ok := v.Holds(filepath.Join(dir, "tool")); ok != (want != nil) || ok && by.Reason != setIDReason {
			t.Errorf("%s: %+v", again, by)
		}
		key = v.Key
		v.Leave()
	}
	sh(t, dir, "chmod 755 tool bin/other w/node_modules/third .git/su .git/a/b/su .git/objects/su bin/.git/hooks/su w/.git/info/su")
	v := enter(t, g, Folders{Cwd: dir})
	defer v.Leave()
	if slices.ContainsFunc(want, func(path string) bool { return slices.Contains(v.Held, path) }) || want != nil && v.Key == key {
		t.Errorf("%q are held though they are as others", v.Held)
	}
}
