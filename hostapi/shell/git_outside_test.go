//go:build unix

package shell_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// outside is a repository with links that lead out of it, as a plain clone
// makes them, to a folder with a file.
func outside(t *testing.T) (h *hostile, secret string) {
	t.Helper()
	around, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h = &hostile{dir: filepath.Join(around, "repo"), mark: filepath.Join(around, "mark"), env: append(os.Environ(), "HOME="+around, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null")}
	secret = filepath.Join(around, "away/secret")
	h.file(t, secret, "5ecret\n")
	for name, text := range map[string]string{"a.txt": "one\n", "e": "", "sub/e": "", "sub/HEAD": "x", "sub/objects/k": "", "sub/refs/k": "", "bare/HEAD": "ref: refs/heads/main\n", "bare/objects/k": "", "bare/refs/k": "", "bare/e": ""} {
		h.file(t, filepath.Join(h.dir, name), text)
	}
	for _, link := range []string{"l", "sub/l", "bare/l"} {
		if err := os.Symlink(filepath.Dir(secret), filepath.Join(h.dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	h.git(t, h.dir, "init", "-q", "-b", "main")
	h.git(t, h.dir, "add", ".")
	h.git(t, h.dir, "commit", "-q", "-m", "first")
	h.file(t, filepath.Join(h.dir, "a.txt"), "one\ntwo\n")
	return h, secret
}

// A folder that only looks like a repository, and one of a form that git does
// not know, do not have git compare files without a repository.
func TestGitNeedsARepositoryThatGitCanRead(t *testing.T) {
	t.Parallel()
	forms := map[string]func(t *testing.T, h *hostile){
		"none": func(*testing.T, *hostile) {},
	}
	for name, text := range map[string]string{"garbage": "x\n", "empty": "", "a path": "ref: /etc/passwd\n", "another line": "ref: refs/heads/main\nx\n"} {
		forms["HEAD is "+name] = func(t *testing.T, h *hostile) { h.file(t, filepath.Join(h.dir, ".git/HEAD"), text) }
	}
	for _, text := range []string{"[core]\n\trepositoryformatversion = 99\n", "[core]\nrepositoryformatversion=2", "[CORE] RepositoryFormatVersion = \"7\" ; x\n",
		"[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = sha257\n", "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tnewer = true\n", "[core]\nrepositoryformatversion = 1\n[extensions]\nrefStorage = other\n"} {
		forms[text] = func(t *testing.T, h *hostile) { h.file(t, filepath.Join(h.dir, ".git/config"), text) }
	}
	for _, part := range []string{"objects", "refs", "HEAD"} {
		forms[part+" is a link"] = func(t *testing.T, h *hostile) {
			at := filepath.Join(h.dir, ".git", part)
			if err := os.Rename(at, at+".real"); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(at+".real", at); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, form := range forms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, _ := outside(t)
			form(t, h)
			ask := h.asker(t, shell.ProfileOff)
			for _, cwd := range []string{"", "sub", "bare"} {
				for _, args := range [][]string{{"diff", "l/secret", "e"}, {"diff", "--", "l/secret", "e"}, {"diff", "--stat", "-p", "l/secret", "e"}} {
					if result, err := ask(cwd, args...); strings.Contains(result.Output, "5ecret") || err == nil && result.ExitCode == 0 {
						t.Errorf("git %q in %q: %+v %v", args, cwd, result, err)
					}
				}
			}
			if result, err := ask("", "diff", "a.txt", "e"); (err != nil || result.ExitCode != 0) != (name != "none") {
				t.Errorf("the repository itself: %+v %v", result, err)
			}
		})
	}
}

// Even where what was looked at is another thing by the time git reads it, git
// fails rather than go on without a repository.
func TestGitDiffFailsWithoutARepository(t *testing.T) {
	t.Parallel()
	h, _ := outside(t)
	h.file(t, filepath.Join(h.dir, "path/git"), "#!/bin/sh\nexport GIT_DIR=/dev/null\nunset GIT_COMMON_DIR\nPATH=${PATH#*:} exec git \"$@\"\n")
	bash := &shell.Tool{Dir: h.dir, Sandbox: shell.Sandbox{Profile: shell.ProfileOff}, Env: []string{"PATH=" + filepath.Join(h.dir, "path") + ":" + os.Getenv("PATH")}}
	t.Cleanup(func() { bash.Close() })
	ask := gitAsker(t, bash)
	for _, args := range [][]string{{"diff", "a.txt", "e"}, {"diff", "--", "a.txt", "e"}} {
		if result, err := ask("", args...); err != nil || result.ExitCode == 0 || strings.Contains(result.Output, "+one") || strings.Contains(result.Output, "-one") || strings.Contains(result.Output, "+++") {
			t.Errorf("git %q: %+v %v", args, result, err)
		}
	}
}

// No path among the operands is read through a link that leads out.
func TestGitOperandsStayInTheRepository(t *testing.T) {
	t.Parallel()
	h, secret := outside(t)
	h.file(t, filepath.Join(h.dir, "in/b.txt"), "in\n")
	for name, target := range map[string]string{"inner": "in", "gone": "nowhere", "around": ".."} {
		if err := os.Symlink(target, filepath.Join(h.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if text := h.git(t, h.dir, "diff", "HEAD:a.txt", "l/secret"); !strings.Contains(text, "5ecret") {
		t.Errorf("git reads %q: the test tests nothing", text)
	}
	for _, profile := range []shell.Profile{shell.ProfileOff, shell.ProfileReadOnly} {
		ask := h.asker(t, profile)
		for _, path := range []string{"l/secret", "./l/secret", "in/../l/secret", h.dir + "/l/secret", ":/l/secret", ":(top)l/secret", ":(top,literal)l/secret", "around/away/secret", secret, "../away/secret", "l", "gone/x", "around/repo/l/secret"} {
			for _, args := range [][]string{{"diff", "HEAD:a.txt", path}, {"diff", "HEAD:a.txt", "--", path}, {"diff", "-R", path, "HEAD:a.txt"}, {"diff", path, "e"}, {"blame", path}, {"log", "-p", "--", path}, {"grep", "one", "--", path}, {"ls-files", "-o", path}} {
				if result, err := ask("", args...); err == nil && result.ExitCode == 0 || strings.Contains(result.Output, "5ecret") {
					t.Errorf("%s: git %q: %+v %v", profile, args, result, err)
				}
			}
		}
		for _, args := range [][]string{{"diff", "HEAD:a.txt", "a.txt"}, {"diff", "HEAD:a.txt", "inner/b.txt"}, {"diff", "HEAD", "--", ":/a.txt", ":!e"}, {"log", "-1", "HEAD", "--", "nothing/here"}, {"grep", "-e", "one", "--", "*.txt"}, {"show", ":a.txt"}, {"show", ":0:a.txt"}, {"show", ":/first"}} {
			if result, err := ask("", args...); err != nil || result.ExitCode != 0 {
				t.Errorf("%s: git %q: %+v %v", profile, args, result, err)
			}
		}
		h.file(t, filepath.Join(h.dir, "a.txt"), "one\n/etc/\n")
		if result, err := ask("", "grep", "/etc/"); err != nil || !strings.Contains(result.Output, "a.txt") {
			t.Errorf("%s: a pattern is no path: %+v %v", profile, result, err)
		}
	}
}
