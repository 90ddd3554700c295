package sandbox_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"golang.org/x/sys/unix"
)

// TestEntriesThatCommandsLeadElsewhere: if a command puts a link in place of a granted path, or
// on its way, the next command reads nothing more.
func TestEntriesThatCommandsLeadElsewhere(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before, line string
		policy       func(dir string) sandbox.Policy
		link         string // that is named in the refusal; empty where nothing is refused
	}{
		"a folder in the workspace": {"mkdir w/data", "mv data d2; ln -s ../other data", reads("w/data"), "w/data"},
		"a file":                    {"touch w/data", "rm data; ln -s ../other/secret data", reads("w/data"), "w/data"},
		"the root folder": {"mkdir w/data", "mv data d2; ln -s / data", func(dir string) sandbox.Policy {
			return sandbox.Policy{Read: []string{filepath.Join(dir, "w/data", dir, "other")}}
		}, "w/data"},
		"on the way":        {"mkdir -p w/a/data", "rm -r a; ln -s .. a", reads("w/a/other"), "w/a"},
		"by a link outside": {"mkdir w/data; ln -s w/data l", "mv data d2; ln -s ../other data", reads("l"), "w/data"},
		"in another folder": {"mkdir -p o/data", "cd ../o; rm -r data; ln -s ../other data", func(dir string) sandbox.Policy {
			return sandbox.Policy{Write: []string{dir + "/o"}, Read: []string{dir + "/o/data"}}
		}, "o/data"},
		"of what is written": {"mkdir -p o/data; ln -s o/data l", "cd ../o; rm -r data; ln -s ../other data", func(dir string) sandbox.Policy {
			return sandbox.Policy{Write: []string{dir + "/o", dir + "/l"}}
		}, "o/data"},
		"what stays inside":             {"mkdir w/data", "mv data d2; ln -s d2 data", reads("w/data"), ""},
		"a link that no command writes": {"mkdir data; touch data/plain; ln -s data l", "true", reads("l"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("sh", "-c", "mkdir w other; echo secret > other/secret; "+c.before)
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			policy := c.policy(dir)
			policy.Workspace, policy.Path, policy.Home = filepath.Join(dir, "w"), "/usr/bin:/bin", dir
			box := open(t, policy)
			line(t, box, policy.Workspace, c.line)
			for kind, open := range openers() {
				box, err := open(policy)
				if c.link == "" && err == nil {
					box.Close()
					continue
				}
				if err == nil {
					t.Errorf("%s: %+v", kind, line(t, box, policy.Workspace, "cat ../other/secret data/secret; echo > ../other/planted"))
					box.Close()
				} else if !strings.Contains(err.Error(), filepath.Join(dir, c.link)) {
					t.Error(kind, err)
				}
			}
		})
	}
}

func reads(path string) func(string) sandbox.Policy {
	return func(dir string) sandbox.Policy { return sandbox.Policy{Read: []string{filepath.Join(dir, path)}} }
}

// TestSandboxesThatAreKeptFollowNoNewLink: a command that starts later has the grants from when
// the box was opened.
func TestSandboxesThatAreKeptFollowNoNewLink(t *testing.T) {
	t.Parallel()
	for kind, open := range openers() {
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		work, other := filepath.Join(dir, "w"), filepath.Join(dir, "other")
		if err := errors.Join(os.MkdirAll(filepath.Join(work, "data"), 0o700), os.Mkdir(other, 0o700), os.WriteFile(filepath.Join(other, "secret"), []byte("secret"), 0o600)); err != nil {
			t.Fatal(err)
		}
		box, err := open(sandbox.Policy{Workspace: work, Read: []string{filepath.Join(work, "data")}, Path: "/usr/bin:/bin", Home: dir})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(box.Close)
		first, _ := begin(t, box, work, "sleep 60")
		line(t, box, work, "rmdir data; ln -s "+other+" data")
		second, _ := begin(t, box, work, "sleep 60") // as many at once as there were never
		if got := line(t, box, work, "cat data/secret "+other+"/secret"); strings.Contains(got.out, "secret\n") || strings.HasPrefix(got.out, "secret") {
			t.Errorf("%s: %+v", kind, got)
		}
		first.End(0)
		second.End(0)
	}
}

// TestEntriesAreLookedAtOnce: a file that a command puts in the place of an entry during the
// look is not granted either.
func TestEntriesAreLookedAtOnce(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	data, link := filepath.Join(work, "data"), filepath.Join(work, "link")
	if err := errors.Join(os.Mkdir(data, 0o700), os.Symlink("/", link)); err != nil {
		t.Fatal(err)
	}
	stop, stopped := make(chan struct{}), make(chan error)
	go func() {
		for {
			select {
			case <-stop:
				stopped <- nil
				return
			default:
				if err := unix.Renameat2(unix.AT_FDCWD, data, unix.AT_FDCWD, link, unix.RENAME_EXCHANGE); err != nil {
					stopped <- err
					return
				}
			}
		}
	}()
	for range 10_000 {
		got, err := sandbox.Granted(sandbox.Policy{Workspace: work, Read: []string{data}})
		if others := func(path string) bool { return path != data }; err == nil && slices.ContainsFunc(got, others) {
			t.Errorf("%q", got)
			break
		}
	}
	close(stop)
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

// TestRootFolderWithoutItsSecrets: granting the root folder grants no file of /etc that only
// root may read, under any name.
func TestRootFolderWithoutItsSecrets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	work := filepath.Join(dir, "w")
	if err := errors.Join(os.Mkdir(work, 0o700), os.Symlink("/", filepath.Join(dir, "all")), os.Symlink("/etc", filepath.Join(dir, "etc"))); err != nil {
		t.Fatal(err)
	}
	for _, entry := range []string{"/", filepath.Join(dir, "all"), "/etc", filepath.Join(dir, "etc")} {
		for kind, open := range openers() {
			box, err := open(sandbox.Policy{Workspace: work, Read: []string{entry}, Path: "/usr/bin:/bin", Home: dir})
			if err != nil {
				t.Fatal(err)
			}
			if kind == "all" && !whole(t, box) {
				t.Errorf("%s: it takes the view away", entry)
			}
			if got := line(t, box, work, "cat /etc/shadow "+dir+"/*/shadow "+dir+"/*/etc/shadow /etc/ssl/private/* 2>/dev/null"); got.out != "" {
				t.Errorf("%s, %s: %+v", kind, entry, got)
			}
			want := "passwd"
			if strings.HasSuffix(entry, "/") || strings.HasSuffix(entry, "all") {
				want = "passwd\nlib"
			}
			if got := line(t, box, work, "test -s /etc/passwd && echo passwd; ls /var 2>/dev/null | grep -x lib"); strings.TrimSpace(got.out) != want {
				t.Errorf("%s, %s: %+v", kind, entry, got)
			}
			box.Close()
		}
	}
}
