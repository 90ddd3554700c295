package shell

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
)

// A folder for git has nothing of the repository's configuration but forms and tracking.
func TestGitFolderTakesFormsAndTrackingOnly(t *testing.T) {
	t.Parallel()
	dir, temp := t.TempDir(), t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	config := "[core]\n\tautocrlf = input\n\tEOL = lf ; comment\n\tignoreCase=true\n\tfsmonitor = evil\n\tfileMode = \"!evil\"\n[Core]\n\tsymlinks = false\n[core \"x\"]\n\tsafecrlf = true\n" +
		"[include]\n\tpath = evil\n[extensions]\n\tobjectFormat = sha1\n\tpartialClone = evil\n\tworktreeConfig = true\n[index]\n\tversion = 4 \\\n evil\n[filter \"a\"]\n\tclean = evil\n" +
		"[branch \"Main\"]\n\tremote = -evil\n\tremote = origin\n\tmerge = refs/heads/é\n\tmerge = \"evil\"\n\tdescription = evil\n[remote \"origin\"]\n\turl = evil\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n\tuploadpack = evil\n\tvcs = evil\n" +
		"[branch \"a\\\"b\"]\n\tremote = evil\n[remote]\n\tfetch = evil\n[core \"branch\"]\n\tremote = evil\n[branch \"x\"] remote = evil\n\tremote = evil\n"
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
	want := "[core]\n\tbare = false\n[core]\n\tautocrlf = input\n[core]\n\tignoreCase = true\n[core]\n\tsymlinks = false\n[extensions]\n\tobjectFormat = sha1\n" +
		"[branch \"Main\"]\n\tremote = origin\n[branch \"Main\"]\n\tmerge = refs/heads/é\n[remote \"origin\"]\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n"
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

// What reading took goes with the command, or when it cannot start.
func TestFoldersForGitGoWithTheirCommands(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	broken := filepath.Join(dir, "broken")
	if err := errors.Join(os.Mkdir(broken, 0o700), os.Symlink("/nowhere", filepath.Join(broken, ".git"))); err != nil {
		t.Fatal(err)
	}
	tool := &Tool{Dir: dir, Sandbox: Sandbox{Profile: ProfileOff}}
	defer tool.Close()
	for args, starts := range map[string]bool{
		`{"command":"git status -s && git -C . status | cat"}`: true, `{"argv":["git","status"]}`: true, `{"command":"git status; cd nowhere && git status"}`: true,
		`{"argv":["/nowhere/git","status"]}`: false, `{"command":"git status; git -C broken status"}`: false,
	} {
		call := hostapi.Call{Tool: "bash", Args: json.RawMessage(args), Scoped: true}
		var err error
		if call.Plan, err = tool.Plan(t.Context(), call); err != nil {
			t.Fatal(err)
		}
		handle, _, err := tool.Start(t.Context(), call)
		if err != nil || (handle != nil) != starts {
			t.Fatalf("%s: %v %v", args, handle, err)
		}
		temp, err := tool.local.scratch()
		if err != nil {
			t.Fatal(err)
		}
		left := func() []string {
			found, _ := filepath.Glob(filepath.Join(temp, "git-*"))
			return found
		}
		if starts {
			if len(left()) == 0 {
				t.Errorf("%s: git has no folder", args)
			}
			if _, err := handle.Wait(t.Context()); err != nil {
				t.Error(err)
			}
			if err := handle.Close(); err != nil {
				t.Error(err)
			}
		}
		if found := left(); len(found) > 0 {
			t.Errorf("%s: %s is left", args, found)
		}
	}
}
