package sandbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// seek finds what the temporary folder of another command holds, and plants a file beside it.
const seek = `for f in $(find DIR -name NAME 2>/dev/null); do cat $f; echo hi > $(dirname $f)/planted; done; ls DIR/scriptrun-user-*; mkdir DIR/scriptrun-user-*/planted; mv DIR/scriptrun-user-* DIR/moved; rmdir DIR/scriptrun-user-*`

// TestTemporaryFoldersOfOthersAreNotSeen: commands that are granted the folder for temporary files
// see none of other commands, whoever began first, and of their own none under another name.
func TestTemporaryFoldersOfOthersAreNotSeen(t *testing.T) { //nolint:paralleltest // it sets TMPDIR
	for name, policy := range map[string]func(dir, work string) sandbox.Policy{
		"the workspace":     func(dir, _ string) sandbox.Policy { return sandbox.Policy{Workspace: dir} },
		"around the folder": func(dir, _ string) sandbox.Policy { return sandbox.Policy{Workspace: filepath.Dir(dir)} },
		"to be read":        func(dir, work string) sandbox.Policy { return sandbox.Policy{Workspace: work, Read: []string{dir}} },
		"to be written":     func(dir, work string) sandbox.Policy { return sandbox.Policy{Workspace: work, Write: []string{dir}} },
		"in a read-only box": func(dir, _ string) sandbox.Policy {
			return sandbox.Policy{Workspace: dir, Profile: sandbox.ProfileReadOnly}
		},
		"by a link": func(dir, work string) sandbox.Policy {
			return sandbox.Policy{Workspace: work, Read: []string{work + "/../link"}}
		},
		"with a part granted": func(dir, work string) sandbox.Policy {
			return sandbox.Policy{Workspace: dir, Read: []string{dir + "/part"}}
		},
	} {
		t.Run(name, func(t *testing.T) { //nolint:paralleltest // it sets TMPDIR
			top, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			dir, work := filepath.Join(top, "in", "tmp"), filepath.Join(top, "work")
			if err := errors.Join(os.MkdirAll(filepath.Join(dir, "part"), 0o700), os.Mkdir(work, 0o700), os.Symlink(dir, filepath.Join(top, "link"))); err != nil {
				t.Fatal(err)
			}
			t.Setenv("TMPDIR", dir)
			p := policy(dir, work)
			before := open(t, p)
			if !whole(t, before) {
				return
			}
			other := open(t, sandbox.Policy{Workspace: work})
			after := open(t, p)
			for i, box := range []*sandbox.Box{before, after} {
				name := "secret-" + strconv.Itoa(i)
				running, read := begin(t, other, work, "echo SECRET > $TMPDIR/"+name+"; touch ready; while [ ! -e go ]; do sleep 0.01; done; ls $TMPDIR | grep secret; rm ready go")
				own, readOwn := begin(t, box, p.Workspace, "echo SECRET > $TMPDIR/"+name+"; while [ -e "+work+"/ready ] || [ ! -e $TMPDIR/"+name+" ]; do sleep 0.01; done")
				for !exists(work + "/ready") {
					if line(t, other, work, "sleep 0.01").code != 0 {
						t.Fatal("sleep failed")
					}
				}
				got := line(t, box, p.Workspace, strings.NewReplacer("DIR", dir, "NAME", name).Replace(seek))
				if strings.Contains(got.out, "SECRET") || exists(filepath.Join(dir, "moved")) {
					t.Errorf("%+v", got)
				}
				if err := os.WriteFile(filepath.Join(work, "go"), nil, 0o600); err != nil {
					t.Fatal(err)
				}
				<-running.Exited()
				running.End(0)
				if got := read(); got != name+"\n" {
					t.Errorf("its folder holds %q", got)
				}
				own.End(0)
				readOwn()
			}
		})
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// TestTemporaryFoldersGo: nothing is left of the folder of all temporary folders, and one of
// somebody else is not taken.
func TestTemporaryFoldersGo(t *testing.T) { //nolint:paralleltest // it sets TMPDIR
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	box := open(t, sandbox.Policy{Workspace: t.TempDir()})
	own, err := sandbox.MakeTemp()
	if err != nil {
		t.Fatal(err)
	}
	all := filepath.Dir(own)
	if err := os.WriteFile(filepath.Join(own, "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if box.Close(); !exists(own) {
		t.Error("the folder of another is gone")
	}
	if err := sandbox.RemoveTemp(own); err != nil || exists(all) {
		t.Errorf("%s is left, %v", all, err)
	}
	for what, put := range map[string]func() error{
		"a link":                  func() error { return os.Symlink(t.TempDir(), all) },
		"one that all may enter":  func() error { return errors.Join(os.Mkdir(all, 0o700), os.Chmod(all, 0o755)) }, //nolint:gosec // it is refused
		"one of somebody else":    func() error { return errors.Join(os.Mkdir(all, 0o700), asSomebodyElses(all)) },
		"something else, a file.": func() error { return os.WriteFile(all, nil, 0o600) },
	} {
		if err := put(); err != nil {
			t.Fatal(err)
		}
		own, err := sandbox.MakeTemp()
		if err != nil || filepath.Dir(own) != all+"-1" {
			t.Errorf("%s: %s, %v", what, own, err)
		}
		if err := errors.Join(sandbox.RemoveTemp(own), os.RemoveAll(all)); err != nil || exists(all+"-1") {
			t.Fatal(err)
		}
	}
	for n := range 8 {
		suffix := ""
		if n > 0 {
			suffix = "-" + strconv.Itoa(n)
		}
		if err := os.WriteFile(all+suffix, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if own, err := sandbox.MakeTemp(); err == nil || !strings.Contains(err.Error(), "set TMPDIR") {
		t.Errorf("%s, %v", own, err)
	}
	t.Setenv("TMPDIR", filepath.Join(dir, "none"))
	if own, err := sandbox.MakeTemp(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s, %v", own, err)
	}
}

// asSomebodyElses gives a folder to another user, or shuts it where only root could.
func asSomebodyElses(path string) error {
	if os.Geteuid() != 0 {
		return os.Chmod(path, 0o500) //nolint:gosec // it is refused
	}
	return os.Chown(path, 65534, 65534)
}
