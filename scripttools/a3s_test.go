package scripttools_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
)

// script is a workspace with a script and whatever else a case adds.
func script(files map[string]string) map[string]string {
	all := map[string]string{"scripts/x.js": runBody}
	for name, data := range files {
		all[name] = data
	}
	return all
}

// md is an A3S tool file with these header lines besides kind.
func md(lines ...string) string {
	return "---\nkind: script\n" + strings.Join(lines, "\n") + "\n---\nbody\n"
}

// TestA3SLoader takes the loader of A3S agent directories item by item. The
// numbers are those of the comparison of prior art; "WA" items are its
// weaknesses, with our answer.
func TestA3SLoader(t *testing.T) {
	t.Parallel()

	t.Run("an agent directory loads unchanged", func(t *testing.T) {
		t.Parallel()
		catalog, err := scripttools.LoadDir(t.Context(), newRunner(t), "testdata/a3s/tools")
		if err != nil {
			t.Fatal(err)
		}
		spec, err := catalog.Spec("count-todos")
		if err != nil {
			t.Fatal(err)
		}
		want := []hostapi.Rule{
			{Tool: "grep", From: "testdata/a3s/tools/count-todos.md:7:5"},
			{Tool: "glob", From: "testdata/a3s/tools/count-todos.md:8:5"},
		}
		if diff := cmp.Diff(want, spec.AllowedTools); diff != "" {
			t.Error(diff)
		}
		limits := runtime.Limits{Timeout: 15 * time.Second, MaxToolCalls: 10, MaxOutputBytes: 32768, MaxResultBytes: 32768, MaxMemoryBytes: 256 << 20}
		if spec.Limits != limits {
			t.Errorf("limits %+v", spec.Limits)
		}
		if spec.Description != "Count TODO comments in the workspace." || spec.Source != "testdata/a3s/scripts/count-todos.js" {
			t.Errorf("description %q, source %q", spec.Description, spec.Source)
		}
	})

	t.Run("1a-1 a path that is not a directory", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		write(t, dir, map[string]string{"tools": "a file"})
		_, err := scripttools.LoadDir(t.Context(), newRunner(t), filepath.Join(dir, "tools"))
		wantProblem(t, err, filepath.ToSlash(filepath.Join(dir, "tools")), "the tools directory is not a directory")
	})

	t.Run("1a-2 no tools folder is told, and the caller decides", func(t *testing.T) {
		t.Parallel()
		dir := filepath.Join(t.TempDir(), "tools")
		catalog, err := scripttools.LoadDir(t.Context(), newRunner(t), dir)
		wantProblem(t, err, filepath.ToSlash(dir), "no such directory")
		if !errors.Is(err, fs.ErrNotExist) {
			t.Error("the error is not fs.ErrNotExist")
		}
		if catalog.Len() != 0 || new(scripttools.Catalog).Len() != 0 {
			t.Error("a catalog came of nothing")
		}
	})

	t.Run("1a-3 direct children only, in path order, extension exact", func(t *testing.T) {
		t.Parallel()
		catalog, _, err := loadFiles(t, script(map[string]string{
			"tools/b.md": md("path: scripts/x.js"), "tools/a.md": md("path: scripts/x.js"),
			"tools/C.MD": "not read", "tools/d.txt": "not read", "tools/sub/e.md": "not read",
		}))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for spec := range catalog.All() {
			names = append(names, spec.Name)
		}
		if diff := cmp.Diff([]string{"a", "b"}, names); diff != "" {
			t.Error(diff)
		}
	})

	t.Run("1a-4 an unreadable entry fails the load, with its place and cause", func(t *testing.T) {
		t.Parallel()
		if os.Getuid() == 0 || goruntime.GOOS == "windows" {
			// Permissions do not bind root; a folder in the file's place fails too.
			_, _, err := loadFiles(t, map[string]string{"tools/a.js/x": "", "tools/b.js": tool("description: d")})
			wantProblem(t, err, "tools/a.js: this is a directory, not a file")
			return
		}
		dir := t.TempDir()
		write(t, dir, map[string]string{"tools/a.js": tool("description: d")})
		if err := os.Chmod(filepath.Join(dir, "tools/a.js"), 0); err != nil {
			t.Fatal(err)
		}
		_, err := scripttools.LoadDir(t.Context(), newRunner(t), filepath.Join(dir, "tools"))
		wantProblem(t, err, "tools/a.js", "permission denied")
	})

	t.Run("1a-8 a file over the cap", func(t *testing.T) {
		t.Parallel()
		big := tool("description: d") + "//" + strings.Repeat("x", runtime.MaxSourceBytes)
		_, _, err := loadFiles(t, map[string]string{"tools/a.js": big})
		wantProblem(t, err, "tools/a.js", "at most 196608")
		fits := tool("description: d") + "//"
		fits += strings.Repeat("x", runtime.MaxSourceBytes-len(fits))
		if _, _, err := loadFiles(t, map[string]string{"tools/a.js": fits}); err != nil {
			t.Errorf("a file of the largest size: %v", err)
		}
		_, _, err = loadFiles(t, map[string]string{"tools/a.md": md("path: x.js"), "x.js": big})
		wantProblem(t, err, "tools/a.md:3:7", `the script "x.js"`, "at most 196608")
	})

	t.Run("1a-9 what is not UTF-8, at its place", func(t *testing.T) {
		t.Parallel()
		_, _, err := loadFiles(t, map[string]string{
			"tools/a.js": "/*---\nkind: script\ndescription: é\xff\n---*/\n",
			"tools/b.js": "\xff\xfe/\x00*\x00",
			"tools/c.js": tool("description: d") + "a\x00",
			"tools/d.md": md("path: x.js"), "x.js": "\n \xc3(",
		})
		wantProblem(t, err, "tools/a.js:3:15: byte 0xFF is not UTF-8", "tools/b.js:1:1: the file is UTF-16",
			"tools/c.js:6:2: a NUL byte", "x.js:2:2: byte 0xC3 is not UTF-8")
	})

	t.Run("1a-10 leading blank space, LF, CRLF, end of file", func(t *testing.T) {
		t.Parallel()
		for _, text := range []string{
			"\n \n" + md("path: scripts/x.js"),
			strings.ReplaceAll(md("path: scripts/x.js"), "\n", "\r\n"),
			"---\nkind: script\npath: scripts/x.js\ndescription: d\n---",
			"\ufeff" + md("path: scripts/x.js"),
		} {
			if _, _, err := loadFiles(t, script(map[string]string{"tools/a.md": text})); err != nil {
				t.Errorf("%q: %v", text, err)
			}
		}
	})

	t.Run("1a-11 no header is an error that says kind is needed, but for a README.md", func(t *testing.T) {
		t.Parallel()
		_, _, err := loadFiles(t, map[string]string{"tools/a.md": "text", "tools/ReadMe.md": "text"})
		wantProblem(t, err, "tools/a.md:1:1", "kind:")
		if strings.Contains(err.Error(), "ReadMe.md:") {
			t.Errorf("the README is blamed: %v", err)
		}
	})

	t.Run("1a-12 and 23 other kinds", func(t *testing.T) {
		t.Parallel()
		_, _, err := loadFiles(t, map[string]string{"tools/a.md": "---\nkind: mcp\n---\n", "tools/b.md": "---\nkind: x\n---\n"})
		wantProblem(t, err, "tools/a.md:1:1: kind: mcp needs either a command", `tools/b.md:2:7: unknown kind "x"`, "script and mcp")
	})

	t.Run("1a-13 the name is the file stem by default", func(t *testing.T) {
		t.Parallel()
		catalog, _, err := loadFiles(t, script(map[string]string{"tools/my-tool.md": md("path: scripts/x.js")}))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := catalog.Spec("my-tool"); err != nil {
			t.Error(err)
		}
	})

	t.Run("1a-14 the description wins over the body; a blank one does not", func(t *testing.T) {
		t.Parallel()
		for _, c := range []struct{ line, want string }{
			{"description: '  given '", "given"}, {"description: '  '", "body"}, {"name: a", "body"},
		} {
			catalog, _, err := loadFiles(t, script(map[string]string{"tools/a.md": md("path: scripts/x.js", c.line)}))
			if err != nil {
				t.Fatal(err)
			}
			if spec, _ := catalog.Spec("a"); spec.Description != c.want {
				t.Errorf("%s: got %q, want %q", c.line, spec.Description, c.want)
			}
		}
	})

	t.Run("1a-15 and 16 paths that are refused at load", func(t *testing.T) {
		t.Parallel()
		for _, path := range []string{"x.py", "x", "''", "' '", "/x.js", "../x.js", "a/../x.js", "..", `'..\x.js'`, `'\x.js'`, `'\\server\x.js'`,
			"//server/x.js", "'C:x.js'", "'c:/x.js'", "x.cts", "x.JS", "x.js/", "5", "[x.js]", "null"} {
			_, _, err := loadFiles(t, map[string]string{"tools/a.md": md("path: " + path), "x.js": runBody})
			wantProblem(t, err, "tools/a.md:3:")
		}
	})

	t.Run("1a-17 our answer: a script must exist at load", func(t *testing.T) {
		t.Parallel()
		_, _, err := loadFiles(t, map[string]string{"tools/a.md": md("path: scripts/none.js")})
		wantProblem(t, err, "tools/a.md:3:7", "does not exist")
		if !errors.Is(err, fs.ErrNotExist) {
			t.Error("the error is not fs.ErrNotExist")
		}
	})

	t.Run("1a-18 omitted allowed_tools grants nothing", func(t *testing.T) {
		t.Parallel()
		for _, line := range []string{"name: a", "allowed_tools: []"} {
			catalog, _, err := loadFiles(t, script(map[string]string{"tools/a.md": md("path: scripts/x.js", line)}))
			if err != nil {
				t.Fatal(err)
			}
			if spec, _ := catalog.Spec("a"); len(spec.AllowedTools) != 0 {
				t.Errorf("%s: %v", line, spec.AllowedTools)
			}
		}
	})

	t.Run("1a-19 limits out of range name field, value and range", func(t *testing.T) {
		t.Parallel()
		for _, c := range []struct{ limit, want string }{
			{"timeoutMs: 0", "limits.timeoutMs is 0; it must be in the range 1 to 600000"},
			{"timeoutMs: 600001", "limits.timeoutMs is 600001;"},
			{"maxToolCalls: 0", "limits.maxToolCalls is 0; it must be in the range 1 to 1000"},
			{"maxToolCalls: 1001", "limits.maxToolCalls is 1001;"},
			{"maxOutputBytes: 0", "limits.maxOutputBytes is 0; it must be in the range 1 to 16777216"},
			{"maxOutputBytes: 16777217", "limits.maxOutputBytes is 16777217;"},
			{"maxMemoryBytes: 1", "limits.maxMemoryBytes is 1; it must be in the range 67108864 to 2147483648"},
		} {
			_, _, err := loadFiles(t, script(map[string]string{"tools/a.md": md("path: scripts/x.js", "limits: {"+c.limit+"}")}))
			wantProblem(t, err, "tools/a.md:4:", c.want)
			var limit *runtime.LimitError
			if !errors.As(err, &limit) {
				t.Errorf("%s: no LimitError in %v", c.limit, err)
			}
		}
	})

	t.Run("1a-20 unset limits take their defaults", func(t *testing.T) {
		t.Parallel()
		catalog, _, err := loadFiles(t, script(map[string]string{"tools/a.md": md("path: scripts/x.js", "limits: {maxToolCalls: 7}")}))
		if err != nil {
			t.Fatal(err)
		}
		want := runtime.DefaultLimits()
		if want.Timeout != 30*time.Second || want.MaxToolCalls != 20 || want.MaxOutputBytes != 65536 {
			t.Errorf("the defaults are not those of A3S: %+v", want)
		}
		want.MaxToolCalls = 7
		if spec, _ := catalog.Spec("a"); spec.Limits != want {
			t.Errorf("got %+v, want %+v", spec.Limits, want)
		}
	})

	t.Run("1a-21 two files of one name", func(t *testing.T) {
		t.Parallel()
		_, _, err := loadFiles(t, script(map[string]string{
			"tools/a.md": md("path: scripts/x.js"), "tools/b.js": tool("name: a", "description: d"),
		}))
		wantProblem(t, err, "tools/b.js:3:7", `the name "a" is taken by`, "tools/a.md:1:1")
	})

	t.Run("1a-22 one bad file fails the whole load, and all bad files are told", func(t *testing.T) {
		t.Parallel()
		catalog, _, err := loadFiles(t, script(map[string]string{
			"tools/a.md": md("path: scripts/x.js"), "tools/b.md": md("path: none.js"), "tools/c.js": tool("x: 1"),
		}))
		wantProblem(t, err, "tools/b.md:3:7", `tools/c.js:3:1: unknown key "x"`, "tools/c.js:1:1: the header has no description")
		if catalog != nil {
			t.Error("something was loaded")
		}
	})

	t.Run("1b-35 and 1c-52 what runs programs is not on offer to them", func(t *testing.T) {
		t.Parallel()
		for name, want := range map[string]string{
			"other": `"other" is a script tool`, "self": `"self" is a script tool`, "program": `"program" can never be allowed`,
			"dynamic_workflow": `no tool "dynamic_workflow"`, "parallel_task": `no tool "parallel_task"`,
		} {
			_, _, err := loadFiles(t, map[string]string{"tools/other.js": tool("description: d"), "tools/self.js": tool("description: d", "allowed_tools: ["+name+"]")})
			wantProblem(t, err, "tools/self.js:4:17", want)
		}
	})

	t.Run("WA12 typos, odd names, clashes, ---x", func(t *testing.T) {
		t.Parallel()
		_, _, err := loadFiles(t, script(map[string]string{
			"tools/a.md": md("path: scripts/x.js", "limits: {timeoutms: 5}", "allowedTools: [grep]"),
			"tools/b.md": md("path: scripts/x.js", "name: 'a b'"),
			"tools/c.md": md("path: scripts/x.js", "name: bash"),
			"tools/d.md": "---\nkind: script\npath: scripts/x.js\n---x\n",
		}))
		wantProblem(t, err, "did you mean timeoutMs?", "did you mean allowed_tools?", "tools/b.md:4:7", "taken by a host tool", "is not closed")
	})

	t.Run("WA14 what runs is what was loaded, and the digest says what that is", func(t *testing.T) {
		t.Parallel()
		digests := map[string]bool{}
		for _, files := range []map[string]string{
			{"tools/a.md": md("path: x.js"), "x.js": runBody},
			{"tools/a.md": md("path: x.js"), "x.js": runBody + "//"},
			{"tools/a.md": md("path: x.js") + "more", "x.js": runBody},
		} {
			catalog, dir, err := loadFiles(t, files)
			if err != nil {
				t.Fatal(err)
			}
			write(t, dir, map[string]string{"x.js": "throw 1"})
			spec, _ := catalog.Spec("a")
			digests[spec.Digest] = true
			if report := catalog.Run(t.Context(), "a", nil); report.Err() != nil {
				t.Errorf("the swapped script ran: %v", report.Err())
			}
		}
		if len(digests) != 3 {
			t.Errorf("three programs have %d digests", len(digests))
		}
	})

	t.Run("WA15 a tool that the host does not offer is told at load", func(t *testing.T) {
		t.Parallel()
		_, _, err := loadFiles(t, map[string]string{"tools/a.js": tool("description: d", "allowed_tools: [serch]")})
		wantProblem(t, err, "tools/a.js:4:17", `no tool "serch"; did you mean "search"?`)
		var unknown *hostapi.UnknownNameError
		if !errors.As(err, &unknown) || unknown.Nearest != "search" {
			t.Errorf("no UnknownNameError in %v", err)
		}
	})
}
