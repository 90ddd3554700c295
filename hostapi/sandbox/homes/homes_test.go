package homes_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/sandbox/homes"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// newHome is the home of a workspace before its first command.
func newHome(t *testing.T) string {
	t.Helper()
	home, err := homes.Folder{Path: filepath.Join(t.TempDir(), "homes")}.For("/project")
	if err != nil {
		t.Fatal(err)
	}
	return home
}

// TestHomesAreFoundByAnyName: while a home has another name no second one is made, and all
// functions use that one.
func TestHomesAreFoundByAnyName(t *testing.T) {
	t.Parallel()
	home := newHome(t)
	folder := homes.Folder{Path: filepath.Dir(filepath.Dir(home))}
	write(t, filepath.Join(home, "mark"), "12345")
	for _, name := range []string{"A", "b", "zz"} {
		path, _, err := homes.Find(home)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path, filepath.Join(filepath.Dir(home), name)); err != nil {
			t.Fatal(err)
		}
		if again, err := folder.For("/project"); again != home || err != nil {
			t.Errorf("%s: %q, %v", name, again, err)
		}
		if path, _, err := homes.Find(home); filepath.Base(path) != name || err != nil {
			t.Errorf("%s: found at %s, %v", name, path, err)
		}
		if err := homes.Introduce(home, homes.Identity{"user.name": name}); err != nil {
			t.Error(err)
		}
		if text, err := os.ReadFile(filepath.Join(filepath.Dir(home), name, ".config/git/config")); !strings.Contains(string(text), name) {
			t.Errorf("%s: introduced as %q, %v", name, text, err)
		}
		if _, err := os.Lstat(home); err == nil {
			t.Errorf("%s: there is a second one", name)
		}
		if all, err := folder.List(); err != nil || len(all) != 1 || all[0].Path != home || all[0].Bytes < 5 {
			t.Errorf("%s: %+v, %v", name, all, err)
		}
	}
	if err := folder.Remove("/project"); err != nil {
		t.Error(err)
	}
	if all, err := folder.List(); err != nil || len(all) != 0 {
		t.Errorf("left: %+v, %v", all, err)
	}
}

func TestHomesAreKeptAndRemoved(t *testing.T) {
	t.Parallel()
	folder := homes.Folder{Path: filepath.Join(t.TempDir(), "homes")}
	if all, err := folder.List(); len(all) != 0 || err != nil {
		t.Errorf("%v, %v", all, err)
	}
	if err := folder.Remove("/nowhere"); err != nil {
		t.Error(err)
	}
	home, err := folder.For("/projects/b")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := folder.For("/projects/b"); again != home || err != nil {
		t.Errorf("%q, then %q, %v", home, again, err)
	}
	if other, err := folder.For("/projects/a"); other == home || err != nil {
		t.Errorf("two workspaces have %q, %v", other, err)
	}
	// A cache of modules is read-only, and a command may leave any link.
	outside := filepath.Join(t.TempDir(), "outside")
	write(t, filepath.Join(outside, "key"), "secret")
	write(t, filepath.Join(home, "go/pkg/mod/m@v1/m.go"), "package m")
	if err := os.Symlink(outside, filepath.Join(home, "go/pkg/mod/m@v1/link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(outside, 0o500); err != nil { //nolint:gosec // a folder
		t.Fatal(err)
	}
	for _, dir := range []string{"go/pkg/mod/m@v1", "go/pkg/mod"} {
		if err := os.Chmod(filepath.Join(home, dir), 0o500); err != nil { //nolint:gosec // a folder
			t.Fatal(err)
		}
	}
	all, err := folder.List()
	if err != nil || len(all) != 2 || all[0].Workspace != "/projects/a" || all[1].Workspace != "/projects/b" || all[1].Path != home ||
		all[1].Bytes < int64(len("package m")) || all[1].Used.IsZero() {
		t.Errorf("%+v, %v", all, err)
	}
	if err := folder.Remove("/projects/b"); err != nil {
		t.Error(err)
	}
	entries, err := os.ReadDir(folder.Path)
	if err != nil || len(entries) != 1 {
		t.Errorf("left: %v, %v", entries, err)
	}
	info, err := os.Stat(outside)
	if err != nil || info.Mode().Perm() != 0o500 {
		t.Errorf("the folder that a link leads to has mode %v, %v", info.Mode(), err)
	}
	if text, err := os.ReadFile(filepath.Join(outside, "key")); string(text) != "secret" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}

// TestLinksAreNoHomes: a link in the place of a home is refused, so that it is not opened for
// commands.
func TestLinksAreNoHomes(t *testing.T) {
	t.Parallel()
	folder := homes.Folder{Path: filepath.Join(t.TempDir(), "homes")}
	home, err := folder.For("/projects")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{home, filepath.Dir(home)} {
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(t.TempDir(), path); err != nil {
			t.Fatal(err)
		}
		if got, err := folder.For("/projects"); err == nil {
			t.Errorf("%s is a link, and %q a home", path, got)
		}
	}
}

// planted is a configuration with all that must not be taken over.
const planted = `# mine
[include]
	path = planted
[http]
	extraheader = "AUTHORIZATION: bearer planted"
[credential]
	helper = "!planted"
[user]
	name = Ada \"the first\" O'Neil ; a comment
	email = ada@example.org # another
	signingkey = planted
[user "other"]
	name = planted
[url "https://planted@example.org/]"]
	insteadOf = https://example.org/
[init] defaultBranch = " trunk"\
  x
[core]
	hooksPath = planted
	pager
`

// TestIdentityIsAllThatIsTaken: name, address and branch, and nothing else of the
// configuration.
func TestIdentityIsAllThatIsTaken(t *testing.T) {
	t.Parallel()
	user, home := t.TempDir(), newHome(t)
	write(t, filepath.Join(user, ".config/git/config"), "[user]\nname = Other\nemail = other@example.org\n")
	write(t, filepath.Join(user, ".gitconfig"), planted)
	write(t, filepath.Join(user, "planted"), "[user]\nname = planted\n")
	if err := homes.Introduce(home, homes.IdentityOf(user)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(home, ".config/git/config"))
	if err != nil || strings.Contains(string(text), "planted") {
		t.Errorf("%s, %v", text, err)
	}
	for key, want := range map[string]string{"user.name": `Ada "the first" O'Neil`, "user.email": "ada@example.org", "init.defaultBranch": " trunk  x"} {
		for _, of := range []string{user, home} {
			if got := asGitReads(t, of, key); got != want {
				t.Errorf("%s of %s is %q for git, want %q", key, of, got, want)
			}
		}
	}
	if err := homes.Introduce(home, homes.Identity{"user.name": "New"}); err != nil {
		t.Fatal(err)
	}
	if got := asGitReads(t, home, "user.name"); got != "New" {
		t.Errorf("the name is %q after another was introduced", got)
	}
}

// asGitReads is a setting of a user with this home folder, as git itself reads
// it; it is taken as read where there is no git.
func asGitReads(t *testing.T, home, key string) string {
	t.Helper()
	cmd := exec.Command("git", "config", "--null", "--get", key)
	cmd.Dir, cmd.Env = t.TempDir(), []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1"}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git config %s: %v", key, err)
	}
	return strings.TrimSuffix(string(out), "\x00")
}

// TestIntroduceStaysInTheHome: links that a command left lead nowhere.
func TestIntroduceStaysInTheHome(t *testing.T) {
	t.Parallel()
	for _, link := range []string{".config", ".config/git", ".config/git/config", ".config/git/config.next"} {
		home, outside := newHome(t), t.TempDir()
		write(t, filepath.Join(outside, "git/config"), "theirs")
		write(t, filepath.Join(outside, "config"), "theirs")
		if err := os.MkdirAll(filepath.Join(home, filepath.Dir(link)), 0o700); err != nil {
			t.Fatal(err)
		}
		target := outside
		if strings.Contains(link, "git/config") {
			target = filepath.Join(outside, "config")
		}
		if err := os.Symlink(target, filepath.Join(home, link)); err != nil {
			t.Fatal(err)
		}
		_ = homes.Introduce(home, homes.Identity{"user.name": "x"}) // it may be refused
		for _, name := range []string{"git/config", "config"} {
			if text, err := os.ReadFile(filepath.Join(outside, name)); string(text) != "theirs" || err != nil {
				t.Errorf("%s is a link: %s outside is %q, %v", link, name, text, err)
			}
		}
	}
}
