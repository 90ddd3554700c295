package files_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestIgnoredAsByGit: a walk passes over what git ignores, and takes what a lower file
// takes back. Git says what is right.
func TestIgnoredAsByGit(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Logf("there is no git to compare with: %v", err)
		return
	}
	for name, files := range map[string]map[string]string{
		"taken back below":          {".gitignore": "*.log\n", "sub/.gitignore": "!keep.log\n", "a.log": "", "sub/a.log": "", "sub/keep.log": "", "sub/deep/keep.log": ""},
		"taken back in one file":    {".gitignore": "*\n!*/\n!*.go\n", "a.go": "", "a.txt": "", "sub/b.go": "", "sub/b.txt": ""},
		"not out of an ignored one": {".gitignore": "build/\n!build/keep\n", "build/keep": "", "build/a": "", "sub/build/a": ""},
		"ignored again":             {".gitignore": "*.log\n", "sub/.gitignore": "!*.log\n", "sub/deep/.gitignore": "x.log\n", "sub/deep/x.log": "", "sub/deep/y.log": ""},
		"from the folder, or below": {".gitignore": "/top\nsub/mid\nany\n**/deep/x\n", "top": "", "sub/top": "", "sub/mid": "", "a/sub/mid": "", "a/any": "", "a/b/deep/x": ""},
		"folders alone":             {".gitignore": "out/\n", "out/a": "", "sub/out": ""},
		"classes, escapes, blanks":  {".gitignore": "[ab].txt\n[!a]x\n\\#c\n\\!d\ne\\ \nf \n", "a.txt": "", "c.txt": "", "ax": "", "bx": "", "#c": "", "!d": "", "e\x20": "", "f": ""},
		"lines of Windows":          {".gitignore": "*.log\r\n!b.log\r\n", "a.log": "", "b.log": ""},
		"what is none":              {".gitignore": "[a\n\n# comment\n/\n", "a": ""},
	} {
		p := workspace(t, files)
		if out, err := exec.Command(git, "init", "-q", p.dir).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		list := exec.Command(git, "-c", "core.excludesFile=", "ls-files", "-z", "--others", "--exclude-per-directory=.gitignore")
		list.Dir = p.dir
		out, err := list.Output()
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
		got := strings.Split(p.call(t, "glob", `{"pattern":"**"}`).Output, "\n")
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: a walk finds %q, git %q", name, got, want)
		}
	}
}
