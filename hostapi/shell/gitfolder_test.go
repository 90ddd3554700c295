package shell

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A folder for git has nothing of the repository's configuration but forms.
func TestGitFolderTakesFormsOnly(t *testing.T) {
	t.Parallel()
	dir, temp := t.TempDir(), t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	config := "[core]\n\tautocrlf = input\n\tEOL = lf ; comment\n\tignoreCase=true\n\tfsmonitor = evil\n\tfileMode = \"!evil\"\n[Core]\n\tsymlinks = false\n[core \"x\"]\n\tsafecrlf = true\n" +
		"[include]\n\tpath = evil\n[extensions]\n\tobjectFormat = sha1\n\tpartialClone = evil\n\tworktreeConfig = true\n[index]\n\tversion = 4 \\\n evil\n[filter \"a\"]\n\tclean = evil\n"
	if err := os.WriteFile(filepath.Join(dir, ".git/config"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, ".git/packed-refs")); err != nil {
		t.Fatal(err)
	}
	repo, err := findGitRepo(dir)
	if err != nil {
		t.Fatal(err)
	}
	folder, err := newGitFolder(temp, repo)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder.path, "config"))
	if err != nil {
		t.Fatal(err)
	}
	want := "[core]\n\tbare = false\n[core]\n\tautocrlf = input\n[core]\n\tignoreCase = true\n[core]\n\tsymlinks = false\n[extensions]\n\tobjectFormat = sha1\n"
	if string(text) != want {
		t.Errorf("the configuration is\n%swant\n%s", text, want)
	}
	if _, err := os.Lstat(filepath.Join(folder.path, "packed-refs")); err == nil {
		t.Error("a link of the repository was taken over")
	}
	for name := range folder.environment(ExecContext{env: map[string]string{"GIT_TRACE": "x", "GIT_EXTERNAL_DIFF": "x", "HOME": "x"}}).env {
		if name == "GIT_TRACE" || name == "GIT_EXTERNAL_DIFF" {
			t.Errorf("%s reaches git", name)
		}
	}
	folder.remove()
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("%s is left", left[0].Name())
	}
}

func BenchmarkGitFolder(b *testing.B) {
	dir, temp := b.TempDir(), b.TempDir()
	if out, err := exec.CommandContext(b.Context(), "git", "init", "-q", dir).CombinedOutput(); err != nil {
		b.Fatalf("%v %s", err, out)
	}
	for i := range 256 { // as after long work without packing
		const digits = "0123456789abcdef"
		if err := os.Mkdir(filepath.Join(dir, ".git/objects", string([]byte{digits[i/16], digits[i%16]})), 0o700); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		repo, err := findGitRepo(dir)
		if err != nil {
			b.Fatal(err)
		}
		folder, err := newGitFolder(temp, repo)
		if err != nil {
			b.Fatal(err)
		}
		if !strings.HasPrefix(folder.path, temp) {
			b.Fatal(folder.path)
		}
		folder.remove()
	}
}
