package scripttools_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/scriptrun/scriptrun/scripttools"
)

func TestLoadFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"a.js":               tool("description: d"),
		"agent/tools/m.md":   md("path: scripts/x.js"),
		"agent/scripts/x.js": runBody,
		"m.md":               md("path: agent/scripts/x.js"),
		"plain.js":           runBody,
		"plain.md":           "text\n",
		"empty.js":           "",
		"blank.js":           "\ufeff \n",
		"x.ts":               "const a: number = 1",
		"x.cts":              "const a: number = 1",
		"x.txt":              "text",
		"folder.js/x":        "",
		"bad.js":             tool("nope: 1"),
	})
	for _, c := range []struct {
		file, workspace string
		want            []string // empty: it loads
	}{
		{"a.js", "", nil},
		{"a.js", "nowhere", nil}, // a .js file needs no workspace
		{"agent/tools/m.md", "", nil},
		{"agent/tools/m.md", "agent", nil},
		{"agent/tools/m.md", ".", []string{"m.md:3:7", `the script "scripts/x.js" does not exist`}},
		{"m.md", "", nil},
		{"m.md", "nowhere", []string{"no such directory"}},
		{"m.md", "a.js", []string{"the workspace is not a directory"}},
		{"none.js", "", []string{"none.js: no such file"}},
		{"folder.js", "", []string{"folder.js: this is a directory, not a file"}},
		{"empty.js", "", []string{"empty.js: the file is empty"}},
		{"blank.js", "", []string{"blank.js: the file is empty"}},
		{"plain.js", "", []string{"plain.js:1:1: the file has no header", "/*---"}},
		{"plain.md", "", []string{"plain.md:1:1: the file has no header", "kind: script"}},
		{"x.ts", "", []string{"x.ts:1:1: the file has no header"}},
		{"x.cts", "", []string{"a .cts file is CommonJS"}},
		{"x.txt", "", []string{"a tool file ends in .js, .mjs, .ts, .mts or .md"}},
		{"bad.js", "", []string{`bad.js:3:1: unknown key "nope"`, "the header has no description"}},
	} {
		t.Run(c.file+" in "+c.workspace, func(t *testing.T) {
			t.Parallel()
			workspace := c.workspace
			if workspace != "" {
				workspace = filepath.Join(dir, workspace)
			}
			path := filepath.Join(dir, filepath.FromSlash(c.file))
			spec, err := scripttools.LoadFile(t.Context(), newRunner(t), path, workspace)
			if len(c.want) > 0 {
				wantProblem(t, err, c.want...)
				if spec != nil {
					t.Error("there is a spec beside the error")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if spec.Path != filepath.ToSlash(path) || spec.Program == nil || len(spec.Digest) != 64 {
				t.Errorf("spec %+v", spec)
			}
		})
	}
	_, err := scripttools.LoadFile(t.Context(), newRunner(t), filepath.Join(dir, "none.js"), "")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file is not fs.ErrNotExist: %v", err)
	}
}

func TestWorkspaceOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, want string }{
		{"x.md", "."}, {"tools/x.md", "."}, {"a/tools/x.md", "a"}, {"a/b/x.md", "a/b"}, {"/a/tools/x.md", "/a"},
	} {
		if got := filepath.ToSlash(scripttools.WorkspaceOf(filepath.FromSlash(c.path))); got != c.want {
			t.Errorf("%s: got %s, want %s", c.path, got, c.want)
		}
	}
}

// A LoadError shows a hundred problems and counts the rest; all can be had.
func TestLoadErrorIsCapped(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 150 {
		lines = append(lines, "k"+string(rune('a'+i/26))+string(rune('a'+i%26))+": 1")
	}
	_, _, err := loadFiles(t, map[string]string{"tools/a.js": tool(append(lines, "description: d")...)})
	wantProblem(t, err, "\nand 50 more", `tools/a.js:3:1: unknown key "kaa"`)
	var load *scripttools.LoadError
	if !errors.As(err, &load) || len(load.Problems) != 150 || len(load.Unwrap()) != 150 {
		t.Fatalf("got %d problems, want 150", len(load.Problems))
	}
	for i := 1; i < len(load.Problems); i++ {
		if load.Problems[i].Pos.Line < load.Problems[i-1].Pos.Line {
			t.Fatal("the problems are not sorted")
		}
	}
	var problem *scripttools.Problem
	if !errors.As(err, &problem) || problem.Pos.Line != 3 || problem.Pos.Col != 1 {
		t.Errorf("errors.As finds %v", problem)
	}
}

func TestLoadNeedsARunner(t *testing.T) {
	t.Parallel()
	if _, err := scripttools.LoadDir(t.Context(), nil, "testdata/a3s/tools"); err == nil {
		t.Error("a directory was loaded")
	}
	if _, err := scripttools.LoadFile(t.Context(), nil, "testdata/a3s/tools/body.md", ""); err == nil {
		t.Error("a file was loaded")
	}
}
