package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/runtime"
)

// command runs one command line in a directory, as a process of its own would,
// and returns its output.
func command(t *testing.T, dir string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The test binary is scriptrun under that name; see TestMain.
	link := filepath.Join(t.TempDir(), "scriptrun")
	if err := os.Symlink(self, link); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), link, args...)
	cmd.Dir = dir
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	_ = cmd.Run() // the exit code tells
	return out.String(), errOut.String(), cmd.ProcessState.ExitCode()
}

// TestReadme: the commands that the README has for a clone work in one. TestDocsSnippets runs the others.
func TestReadme(t *testing.T) {
	t.Parallel()
	var shown []string
	for _, s := range snippets(read(t, filepath.Join(root, "README.md"))) {
		if s.kind == "sh" {
			shown = append(shown, strings.Split(strings.TrimSpace(s.text), "\n")...)
		}
	}
	want := []string{
		"go install github.com/scriptrun/scriptrun/cmd/scriptrun@latest",
		"go run ./cmd/scriptrun run tools/todo-report.js path=.",
		"go test -timeout 30m ./...",
		`CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o scriptrun ./cmd/scriptrun`,
	}
	if strings.Join(shown, "\n") != strings.Join(want, "\n") {
		t.Fatalf("the README shows other commands than are tested here:\n%s", strings.Join(shown, "\n"))
	}
	where := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Name}} {{.ImportPath}}", "./cmd/scriptrun")
	where.Dir = root
	if path, err := where.Output(); err != nil || string(path) != "main github.com/scriptrun/scriptrun/cmd/scriptrun\n" {
		t.Errorf("go install would find %s, %v", path, err)
	}
	out, errOut, code := command(t, root, "run", "tools/todo-report.js", "path=.")
	if code != exitOK || !strings.Contains(out, " marks in ") || !strings.Contains(out, "tools/todo-report.js:") {
		t.Errorf("the report: exit code %d\n%s%s", code, out, errOut)
	}
	out, _, code = command(t, root, "run", "tools/todo-report.js", "path=.", "--json")
	var report struct{ Outcome runtime.Outcome }
	if err := json.Unmarshal([]byte(out), &report); err != nil || report.Outcome != runtime.OutcomeOK || code != exitOK {
		t.Errorf("--json: exit code %d, %v", code, err)
	}
}

// TestReadmeRelease: the README's release is built as it says, has that size, and starts; and
// the Go version that it names is that of go.mod.
func TestReadmeRelease(t *testing.T) {
	t.Parallel()
	text := read(t, filepath.Join(root, "README.md"))
	found := regexp.MustCompile(`(?s)With Go (\S+) or newer:.* the one file that a release is, of (\d+) MB`).FindStringSubmatch(text)
	if found == nil {
		t.Fatal("the README says nothing of a release")
	}
	if mod := read(t, filepath.Join(root, "go.mod")); !strings.Contains(mod, "\ngo "+found[1]+".") {
		t.Errorf("go.mod wants another Go than %s", found[1])
	}
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(t.TempDir(), "scriptrun")
	// Without -trimpath, which matters less than a MB here, and for which all packages would be compiled anew.
	build := exec.CommandContext(t.Context(), "go", "build", "-ldflags", "-s -w", "-o", binary, "./cmd/scriptrun")
	build.Dir, build.Env = top, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	info, err := os.Stat(binary)
	if err != nil {
		t.Fatal(err)
	}
	if says, is := found[2], info.Size()/1e6; says != strconv.FormatInt(is, 10) && says != strconv.FormatInt(is-1, 10) && says != strconv.FormatInt(is+1, 10) {
		t.Errorf("the README says %s MB, and it has %d", says, is)
	}
	if out, err := exec.CommandContext(t.Context(), binary, "--version").CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "scriptrun ") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestEmbedExample: the example of embedding works in a repository of its own.
func TestEmbedExample(t *testing.T) {
	t.Parallel()
	if n := strings.Count(read(t, filepath.Join(root, "examples", "embed", "main.go")), "\n"); n > 40 {
		t.Errorf("it has %d lines", n)
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("it needs git") // .ci/run has it, and fails when anything was skipped
	}
	dir := t.TempDir()
	sh := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(context.WithoutCancel(t.Context()), name, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(t.TempDir(), "embed")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "./examples/embed")
	build.Dir = top
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	sh("cp", "-r", filepath.Join(top, "tools"), "tools")
	sh("git", "init", "-q")
	sh("git", "add", ".")
	sh("git", "-c", "user.name=Ann", "-c", "user.email=a@example.com", "commit", "-q", "-m", "tools")
	if out := sh(binary); !strings.Contains(out, "hot-files: ok") || !strings.Contains(out, "1 commits changed") {
		t.Errorf("it said\n%s", out)
	}
}
