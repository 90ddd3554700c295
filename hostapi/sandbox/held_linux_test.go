package sandbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// TestWhatIsProtectedStaysSoWhenItIsReplaced: a file that somebody outside puts in the place of
// a protected one is read-only for running commands too. A file that did not exist is not
// protected.
func TestWhatIsProtectedStaysSoWhenItIsReplaced(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path    string
		replace func(path string) error
		held    bool
	}{
		"a file": {"repo/.git/config", replaced, true},
		"twice": {"repo/.git/config", func(path string) error {
			_ = replaced(path)
			return replaced(path)
		}, true},
		"one at the top": {".envrc", replaced, true},
		"one made anew": {".envrc", func(path string) error {
			_ = os.Remove(path)
			return os.WriteFile(path, nil, 0o666) //nolint:gosec // whoever runs the command
		}, true},
		"a folder": {"repo/.git/hooks", func(path string) error {
			_ = os.Rename(path, path+".old")
			return os.Mkdir(path, 0o777) //nolint:gosec // whoever runs the command
		}, true},
		"elsewhere":          {"../further/f", replaced, true},
		"what was not there": {"new", replaced, false},
		"what is not held":   {"other", replaced, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			dir, further := base+"/w", base+"/further"
			for _, folder := range []string{further, dir + "/repo/.git/hooks"} {
				if err := os.MkdirAll(folder, 0o755); err != nil { //nolint:gosec // as anybody has them
					t.Fatal(err)
				}
			}
			for _, file := range []string{"repo/.git/config", ".envrc", "other", "../further/f"} {
				if err := os.WriteFile(filepath.Join(dir, file), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			policy := sandbox.Policy{Workspace: dir, Write: []string{further}, Path: "/usr/bin:/bin", Pin: []string{dir + "/repo", dir + "/repo/.git"}}
			for _, path := range []string{"repo/.git/config", "repo/.git/hooks", ".envrc", "new", "../further/f"} {
				policy.Protect = append(policy.Protect, filepath.Join(dir, path))
			}
			box := open(t, policy)
			if !whole(t, box) {
				return
			}
			// It goes on until it is as expected, or somebody has waited for long.
			until := "-w"
			if c.held {
				until = "! -w"
			}
			path := filepath.Join(dir, c.path)
			p, read := begin(t, box, dir, "until [ -e go ]; do sleep 0.01; done; n=0; until [ "+until+" "+path+" ] || [ $n = 1000 ]; do sleep 0.01; n=$((n+1)); done; [ "+until+" "+path+" ] && echo as expected; cat "+path+" >&2")
			if err := c.replace(path); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(dir+"/go", nil, 0o600); err != nil {
				t.Fatal(err)
			}
			<-p.Exited()
			p.End(100 * time.Millisecond)
			if out := read(); !strings.Contains(out, "as expected") {
				t.Errorf("%q", out)
			}
		})
	}
}

// replaced replaces a file as editors and git do.
func replaced(path string) error {
	if err := os.WriteFile(path+".new", nil, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// TestLinksOfProtectedPathsAreHeld: no command removes, moves or replaces a protected link, nor
// one that somebody outside puts in its place, and it still leads where it did.
func TestLinksOfProtectedPathsAreHeld(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"real", "sub"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	policy := sandbox.Policy{Workspace: dir, Path: "/usr/bin:/bin", Pin: []string{dir + "/sub"}}
	for link, to := range map[string]string{"tools": "real", "sub/tools": "../real", "gone": "nowhere", "file": "real/f"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
		policy.Protect = append(policy.Protect, filepath.Join(dir, link))
	}
	box := open(t, policy)
	if !whole(t, box) {
		return
	}
	tries := `for l in tools sub/tools gone file; do rm -f $l; mv -T $l away; ln -sfn /usr $l; mkdir x; mv -T x $l; done; mv sub s2; echo ok > tools/f; cat sub/tools/f`
	if got := line(t, box, dir, tries); !strings.HasSuffix(got.out, "ok\n") {
		t.Errorf("%+v", got)
	}
	for link, to := range map[string]string{"tools": "real", "sub/tools": "../real", "gone": "nowhere", "file": "real/f"} {
		if is, err := os.Readlink(filepath.Join(dir, link)); err != nil || is != to {
			t.Errorf("%s leads to %q, %v", link, is, err)
		}
	}
	if err := errors.Join(os.Symlink("real", dir+"/new"), os.Rename(dir+"/new", dir+"/tools")); err != nil {
		t.Fatal(err)
	}
	if got := line(t, box, dir, `n=0; while mv -T tools t2 && mv -T t2 tools && [ $n -lt 1000 ]; do sleep 0.01; n=$((n+1)); done; echo $n; ls -d t2`); !strings.Contains(got.out, "cannot move 'tools'") {
		t.Errorf("%+v", got)
	}
}
