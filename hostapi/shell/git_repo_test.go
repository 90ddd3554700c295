//go:build unix

package shell_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// A clone that left objects out asks for them when git wants one; the tool's
// git does not ask.
func TestGitDoesNotFetchWhatIsMissing(t *testing.T) {
	t.Parallel()
	h := newHostile(t)
	h.git(t, h.dir, "config", "core.repositoryformatversion", "1")
	h.git(t, h.dir, "config", "extensions.partialClone", "origin")
	blob := strings.TrimSpace(h.git(t, h.dir, "rev-parse", "HEAD:a.txt"))
	if err := os.Remove(filepath.Join(h.dir, ".git/objects", blob[:2], blob[2:])); err != nil {
		t.Fatal(err)
	}
	h.clear(t)
	h.run(t, "cat-file", "-p", blob)
	if h.ran() == "" {
		t.Error("git itself does not fetch it: the test tests nothing")
	}
	h.clear(t)
	ask := h.asker(t, shell.ProfileOff)
	for _, args := range [][]string{{"cat-file", "-p", blob}, {"show", "HEAD:a.txt"}, {"log", "-p", "HEAD"}} {
		if result, err := ask("", args...); err != nil || result.ExitCode == 0 {
			t.Errorf("git %q: %+v %v", args, result, err)
		}
		if ran := h.ran(); ran != "" {
			t.Errorf("git %q ran %s", args, ran)
		}
	}
}

// What else leads out of a repository is not followed.
func TestGitStaysInTheRepository(t *testing.T) {
	t.Parallel()
	other := newHostile(t) // somebody else's
	h := newHostile(t)
	head := strings.TrimSpace(other.git(t, other.dir, "commit-tree", "-m", "elsewhere", "HEAD^{tree}"))
	plain := func(dir string, args ...string) string { return h.git(t, dir, args...) }

	// Alternates: git reads the other's objects, the tool does not.
	h.file(t, filepath.Join(h.dir, ".git/objects/info/alternates"), filepath.Join(other.dir, ".git/objects")+"\n")
	if text := plain(h.dir, "cat-file", "-p", head); !strings.Contains(text, "elsewhere") {
		t.Fatalf("git reads %q: the test tests nothing", text)
	}
	ask := h.asker(t, shell.ProfileOff)
	if result, err := ask("", "cat-file", "-p", head); err != nil || result.ExitCode == 0 {
		t.Errorf("alternates were read: %+v %v", result, err)
	}

	// core.worktree: another folder than the one around .git.
	plain(h.dir, "config", "core.worktree", "/etc")
	if result, err := ask("", "rev-parse", "--show-toplevel"); err != nil || strings.TrimSpace(result.Output) != h.dir {
		t.Errorf("core.worktree was followed: %+v %v", result, err)
	}
	plain(h.dir, "--work-tree=.", "config", "--unset", "core.worktree")

	// Replacements: the content is the object's own.
	plain(h.dir, "replace", "HEAD:a.txt", "HEAD:sub dir/b.txt")
	if result, err := ask("", "show", "HEAD:a.txt"); err != nil || result.Output != "one\ntwo\n" {
		t.Errorf("a replacement was followed: %+v %v", result, err)
	}

	// A .git that leads to a repository that does not know of it.
	for name, plant := range map[string]func(path string) error{
		"file": func(path string) error {
			return os.WriteFile(path, []byte("gitdir: "+filepath.Join(other.dir, ".git")+"\n"), 0o600)
		},
		"relative file": func(path string) error {
			rel, err := filepath.Rel(filepath.Dir(path), filepath.Join(other.dir, ".git"))
			if err != nil {
				return err
			}
			return os.WriteFile(path, []byte("gitdir: "+rel), 0o600)
		},
		"link": func(path string) error { return os.Symlink(filepath.Join(other.dir, ".git"), path) },
		"worktree of another": func(path string) error {
			plain(other.dir, "worktree", "add", "-q", "--no-checkout", "--detach", filepath.Join(t.TempDir(), "tree"))
			return os.WriteFile(path, []byte("gitdir: "+filepath.Join(other.dir, ".git/worktrees/tree")), 0o600)
		},
	} {
		dir := filepath.Join(h.dir, name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := plant(filepath.Join(dir, ".git")); err != nil {
			t.Fatal(err)
		}
		if text := plain(dir, "rev-parse", "--absolute-git-dir"); !strings.Contains(text, other.dir) {
			t.Errorf("%s: git goes to %s: the test tests nothing", name, text)
		}
		result, err := ask(name, "log", "-1")
		if err != nil || result.ExitCode == 0 || !strings.Contains(result.Output, ".git") {
			t.Errorf("%s: %+v %v", name, result, err)
		}
	}
	if ran := h.ran() + other.ran(); ran != "" {
		h.clear(t) // git itself ran these; what the tool's git runs is looked at elsewhere
		other.clear(t)
	}
}

// The working folders of one repository, its submodules and bare ones are read.
func TestGitReadsWorktreesSubmodulesAndBareRepositories(t *testing.T) {
	t.Parallel()
	h := newHostile(t)
	h.git(t, h.dir, "worktree", "add", "-q", "--no-checkout", "-b", "topic", filepath.Join(h.dir, "tree"))
	h.git(t, h.dir, "clone", "-q", "--bare", "-c", "core.hooksPath=/dev/null", h.dir, filepath.Join(h.dir, "bare.git"))
	modules := filepath.Join(h.dir, ".git/modules/inner")
	if err := os.MkdirAll(filepath.Dir(modules), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(h.dir, "inner/.git"), modules); err != nil {
		t.Fatal(err)
	}
	h.file(t, filepath.Join(h.dir, "inner/.git"), "gitdir: ../.git/modules/inner\n")
	h.clear(t)
	for _, profile := range []shell.Profile{shell.ProfileOff, shell.ProfileReadOnly} {
		ask := h.asker(t, profile)
		for _, c := range []struct{ cwd, want string }{{"tree", "topic"}, {"inner", "main"}, {"bare.git", "main"}, {"sub dir", "main"}, {"", "main"}} {
			result, err := ask(c.cwd, "rev-parse", "--abbrev-ref", "HEAD")
			if err != nil || strings.TrimSpace(result.Output) != c.want {
				t.Errorf("%s: %q is %+v %v, want %s", profile, c.cwd, result, err, c.want)
			}
			if result, err := ask(c.cwd, "log", "-p", "--oneline"); err != nil || result.ExitCode != 0 {
				t.Errorf("%s: %q: %+v %v", profile, c.cwd, result, err)
			}
		}
		if ran := h.ran(); ran != "" {
			t.Errorf("%s: %s ran", profile, ran)
		}
	}
}

// Files that differ only by the form that the repository's configuration
// gives them have not changed.
func TestGitKeepsTheRepositorysForms(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	h := &hostile{dir: dir, mark: filepath.Join(t.TempDir(), "mark"), env: os.Environ()}
	h.file(t, filepath.Join(dir, "a.txt"), "one\r\n")
	if err := os.Chmod(filepath.Join(dir, "b c.txt"), 0o755); err != nil {
		t.Fatal(err)
	}
	h.git(t, dir, "config", "core.autocrlf", "true")
	h.git(t, dir, "config", "core.fileMode", "false")
	if result, err := askGit(t, dir, []string{"git"}, "diff", "--name-only"); err != nil || result.Output != "" && !strings.HasPrefix(result.Output, "warning") {
		t.Errorf("%+v %v", result, err)
	}
	if result, err := askGit(t, dir, []string{"git"}, "diff", dir+"/a.txt"); err != nil || result.ExitCode != 0 {
		t.Errorf("an absolute path of the repository: %+v %v", result, err)
	}
}
