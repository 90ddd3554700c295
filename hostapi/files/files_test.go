package files_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/files"
	"github.com/scriptrun/scriptrun/hostapi/hosttest"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(writerVariable); dir != "" {
		writeUntilKilled(dir, os.Getenv(writerVariable+"_NAMED") != "")
	}
	goleak.VerifyTestMain(m)
}

// place is a workspace in a folder of its own; beside it there is a secret.
type place struct {
	dir   string
	tools map[string]hostapi.Tool
	gate  *hostapi.Gate
}

func workspace(tb testing.TB, content map[string]string) *place {
	tb.Helper()
	outer := tb.TempDir()
	dir := filepath.Join(outer, "ws")
	put(tb, outer, map[string]string{"secret": "the secret"})
	put(tb, dir, content)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		tb.Fatal(err)
	}
	w, err := files.Open(dir)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := w.Close(); err != nil {
			tb.Error(err)
		}
	})
	p := &place{dir: dir, tools: map[string]hostapi.Tool{}}
	for _, tool := range w.Tools() {
		p.tools[tool.Name()] = tool
	}
	p.gate = hosttest.Gate(tb, hostapi.Quota{MaxToolCalls: 1000, MaxResultBytes: 1 << 20}, w.Tools()...)
	return p
}

// stranger is in files, and in the names of files, that a test does not grant.
const stranger = "stranger"

// openWorkspace opens a folder that is there.
func openWorkspace(t *testing.T, dir string) *files.Workspace {
	t.Helper()
	w, err := files.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

func put(tb testing.TB, dir string, content map[string]string) {
	tb.Helper()
	for name, text := range content {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
}

func (p *place) call(tb testing.TB, tool string, args any) hostapi.Result {
	tb.Helper()
	raw, ok := args.(string)
	if !ok {
		encoded, err := json.Marshal(args)
		if err != nil {
			tb.Fatal(err)
		}
		raw = string(encoded)
	}
	result, err := p.gate.Invoke(tb.Context(), hostapi.Call{Seq: 1, Tool: tool, Args: json.RawMessage(raw)})
	if err != nil {
		tb.Fatalf("%s %s: %v", tool, raw, err)
	}
	return result
}

func (p *place) text(tb testing.TB, name string) string {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, name))
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

func TestConform(t *testing.T) {
	t.Parallel()
	p := workspace(t, map[string]string{"a.txt": "one\n"})
	for name, args := range map[string]string{
		"read": `{"path":"a.txt"}`, "write": `{"path":"b.txt","content":"x"}`, "edit": `{"path":"a.txt","old_string":"one","new_string":"two"}`,
		"ls": `{}`, "glob": `{"pattern":"*"}`, "grep": `{"pattern":"one"}`, "search": `{"mode":"bm25","query":"one"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hosttest.TestTool(t, p.tools[name], args)
		})
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	p := workspace(t, map[string]string{
		"a.txt": "one\ntwo\nthree\n", "crlf": "a\r\nb\r\n", "bare": "no end", "empty": "", "bin": "ab\x00c", "bad": "a\xffb\n", "long": strings.Repeat("x", 200000) + "\nend",
	})
	for _, c := range []struct {
		name, args, output, text string
		failed                   string
		lines                    int
		more                     bool
	}{
		{"whole", `{"file_path":"a.txt"}`, "     1\tone\n     2\ttwo\n     3\tthree", "one\ntwo\nthree\n", "", 3, false},
		{"part", `{"file_path":"a.txt","offset":1,"limit":1}`, "     2\ttwo", "two\n", "", 1, true},
		{"to the end", `{"file_path":"a.txt","offset":2,"limit":5}`, "     3\tthree", "three\n", "", 1, false},
		{"past the end", `{"file_path":"a.txt","offset":9}`, "", "", "", 0, false},
		{"line ends are kept in text", `{"file_path":"crlf"}`, "     1\ta\n     2\tb", "a\r\nb\r\n", "", 2, false},
		{"no end of line", `{"file_path":"bare"}`, "     1\tno end", "no end", "", 1, false},
		{"empty", `{"file_path":"empty"}`, "", "", "", 0, false},
		{"bytes that are not UTF-8", `{"file_path":"bad"}`, "     1\ta\uFFFDb", "a\uFFFDb\n", "", 1, false},
		{"a long line that is passed over", `{"file_path":"long","offset":1}`, "     2\tend", "end", "", 1, false},
		{"missing", `{"file_path":"none"}`, "", "", "none does not exist", 0, false},
		{"a folder", `{"file_path":"."}`, "", "", "is a directory; ls lists it", 0, false},
		{"binary", `{"file_path":"bin"}`, "", "", "binary file of 4 bytes", 0, false},
		{"outside", `{"file_path":"../secret"}`, "", "", "outside the workspace", 0, false},
		{"outside by an absolute path", `{"file_path":"/etc/passwd"}`, "", "", "outside the workspace", 0, false},
		{"NUL", `{"file_path":"a\u0000b"}`, "", "", "NUL", 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := p.call(t, "read", c.args)
			if c.failed != "" {
				if r.Outcome != hostapi.OutcomeFailed || !strings.Contains(r.Output, c.failed) || r.Text != nil {
					t.Errorf("got %+v", r)
				}
				return
			}
			var metadata struct {
				Range struct {
					Lines int  `json:"returned_lines"`
					More  bool `json:"more"`
				}
			}
			if err := json.Unmarshal(r.Metadata, &metadata); err != nil {
				t.Fatal(err)
			}
			if r.Output != c.output || *r.Text != c.text || metadata.Range.Lines != c.lines || metadata.Range.More != c.more {
				t.Errorf("output %q, text %q, %+v", r.Output, *r.Text, metadata)
			}
		})
	}
	if r := p.call(t, "read", map[string]string{"file_path": filepath.Join(p.dir, "a.txt")}); r.Outcome != hostapi.OutcomeOK {
		t.Errorf("an absolute path within: %+v", r)
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	p := workspace(t, map[string]string{"a.txt": "old", "dir/x": "x"})
	if err := os.Chmod(filepath.Join(p.dir, "a.txt"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := p.call(t, "write", `{"file_path":"a.txt","content":"new é"}`); string(r.Data) != `{"bytes":6,"created":false}` || p.text(t, "a.txt") != "new é" {
		t.Errorf("got %+v", r)
	}
	if info, err := os.Stat(filepath.Join(p.dir, "a.txt")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
	if r := p.call(t, "write", `{"file_path":"new/deep/b.txt","content":""}`); string(r.Data) != `{"bytes":0,"created":true}` || p.text(t, "new/deep/b.txt") != "" {
		t.Errorf("got %+v", r)
	}
	for args, want := range map[string]string{
		`{"file_path":"dir","content":"x"}`: "is a directory", `{"file_path":"../x","content":"x"}`: "outside", `{"file_path":"a.txt/b","content":"x"}`: "a.txt",
		`{"file_path":".","content":"x"}`: "is a directory",
	} {
		if r := p.call(t, "write", args); r.Outcome != hostapi.OutcomeFailed || !strings.Contains(r.Output, want) {
			t.Errorf("%s: %+v", args, r)
		}
	}
	if names := leftovers(t, p.dir); len(names) > 0 {
		t.Errorf("left behind: %v", names)
	}
}

// leftovers lists temporary files.
func leftovers(tb testing.TB, dir string) (out []string) {
	tb.Helper()
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if strings.Contains(path, ".scriptrun-") {
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

func TestEdit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, args, want, failed string }{
		{"one", `{"file_path":"f","old_string":"two","new_string":"2"}`, "one 2 one\none\n", ""},
		{"all", `{"file_path":"f","old_string":"one","new_string":"1","replace_all":true}`, "1 two 1\n1\n", ""},
		{"to nothing", `{"file_path":"f","old_string":" two","new_string":""}`, "one one\none\n", ""},
		{"more than one", `{"file_path":"f","old_string":"one","new_string":"1"}`, "", "3 times in f, first in lines 1, 1, 2"},
		{"none", `{"file_path":"f","old_string":"zwei","new_string":"2"}`, "", "is not in f"},
		{"the same", `{"file_path":"f","old_string":"two","new_string":"two"}`, "", "the same"},
		{"missing", `{"file_path":"g","old_string":"a","new_string":"b"}`, "", "does not exist"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := workspace(t, map[string]string{"f": "one two one\none\n"})
			r := p.call(t, "edit", c.args)
			if c.failed != "" && (r.Outcome != hostapi.OutcomeFailed || !strings.Contains(r.Output, c.failed) || p.text(t, "f") != "one two one\none\n") {
				t.Errorf("got %+v", r)
			}
			if c.failed == "" && (r.Outcome != hostapi.OutcomeOK || p.text(t, "f") != c.want) {
				t.Errorf("got %+v, file %q", r, p.text(t, "f"))
			}
		})
	}
}

// TestEditSaysWhyATextThatWasReadIsNotThere: line ends, white space, another encoding.
func TestEditSaysWhyATextThatWasReadIsNotThere(t *testing.T) {
	t.Parallel()
	p := workspace(t, map[string]string{"crlf": "one\r\ntwo\r\n", "lf": "one\n\ttwo\n", "wide": "\xff\xfeo\x00n\x00"})
	for args, want := range map[string]string{
		`{"path":"crlf","old_string":"one\ntwo","new_string":"x"}`:  `is not in crlf, whose lines end with \r\n: write \r\n`,
		`{"path":"lf","old_string":"one\r\n","new_string":"x"}`:     `is not in lf, whose lines end with \n alone`,
		`{"path":"lf","old_string":"one\n  two","new_string":"x"}`:  "is not in lf; with other white space between the words it is",
		`{"path":"wide","old_string":"on","new_string":"x"}`:        "is not in wide, which is in UTF-16; only UTF-8 can be edited",
		`{"path":"lf","old_string":"one\ntwo x","new_string":"x"}`:  "is not in lf; nothing was written",
		`{"path":"crlf","old_string":"three\n","new_string":"one"}`: "is not in crlf; nothing was written",
	} {
		if r := p.call(t, "edit", args); r.Outcome != hostapi.OutcomeFailed || !strings.Contains(r.Output, want) {
			t.Errorf("%s: %+v, want %q", args, r, want)
		}
	}
}

// Edits of one file at the same time are all there.
func TestConcurrentEdits(t *testing.T) {
	t.Parallel()
	p := workspace(t, map[string]string{"f": ""})
	var text strings.Builder
	for i := range 50 {
		fmt.Fprintf(&text, "<%d>", i)
	}
	put(t, p.dir, map[string]string{"f": text.String()})
	var group sync.WaitGroup
	for i := range 50 {
		group.Go(func() {
			p.call(t, "edit", map[string]any{"file_path": "f", "old_string": fmt.Sprintf("<%d>", i), "new_string": "x"})
		})
	}
	group.Wait()
	if got := p.text(t, "f"); got != strings.Repeat("x", 50) {
		t.Errorf("got %q", got)
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	p := workspace(t, map[string]string{"b.txt": "12345", "a/x": "", ".hidden": ""})
	if err := os.Symlink("b.txt", filepath.Join(p.dir, "link")); err != nil {
		t.Fatal(err)
	}
	r := p.call(t, "ls", `{}`)
	var entries []struct {
		Name, Type, Modified string
		Size                 int64
	}
	if err := json.Unmarshal(r.Data, &entries); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name+" "+e.Type)
		if e.Modified == "" || e.Name == "b.txt" && e.Size != 5 {
			t.Errorf("%+v", e)
		}
	}
	if want := []string{".hidden file", "a directory", "b.txt file", "link link"}; !slices.Equal(got, want) || r.Output != ".hidden\na/\nb.txt\nlink" {
		t.Errorf("%v, %q", got, r.Output)
	}
	if r := p.call(t, "ls", `{"path":"b.txt"}`); r.Output != "b.txt" {
		t.Errorf("a file: %+v", r)
	}
	if r := p.call(t, "ls", `{"path":"none"}`); r.Outcome != hostapi.OutcomeFailed {
		t.Errorf("missing: %+v", r)
	}
}

var tree = map[string]string{
	"a.go": "package a // find me\n", "src/b.go": "package b\n// Find me\nlast", "src/deep/c.txt": "find me\nand me\n",
	"node_modules/m.go": "find me", ".git/config": "find me", "bin": "find me\x00", "ignored/x.go": "find me", "src/skip.go": "find me", "src/keep.log": "find me",
	".gitignore": "ignored/\n*.log\n", "src/.gitignore": "/skip.go\n",
}

func TestGlob(t *testing.T) {
	t.Parallel()
	p := workspace(t, tree)
	for args, want := range map[string]string{
		`{"pattern":"**/*.go"}`: "a.go src/b.go", `{"pattern":"*.go"}`: "a.go", `{"pattern":"**/*.go","path":"src"}`: "src/b.go", `{"pattern":"*","path":"src"}`: "src/.gitignore src/b.go",
		`{"pattern":"{a,src/b}.go"}`: "a.go src/b.go", `{"pattern":"**/none"}`: "", `{"pattern":"*","path":"node_modules"}`: "node_modules/m.go", `{"pattern":"./*.go"}`: "a.go",
		`{"pattern":"**"}`: ".gitignore a.go bin src/.gitignore src/b.go src/deep/c.txt", `{"pattern":"*.go","path":"a.go"}`: "a.go",
	} {
		r := p.call(t, "glob", args)
		if got := strings.ReplaceAll(r.Output, "\n", " "); got != want || r.Outcome != hostapi.OutcomeOK {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
		var data []string
		if err := json.Unmarshal(r.Data, &data); err != nil || data == nil || strings.Join(data, " ") != want {
			t.Errorf("%s: data %s", args, r.Data)
		}
	}
	for args, want := range map[string]string{`{"pattern":"[a"}`: "is not a pattern", `{"pattern":"../*"}`: "leads out", `{"pattern":"/etc/*"}`: "leads out", `{"pattern":"*","path":"none"}`: "does not exist", `{"pattern":"*","path":".."}`: "outside"} {
		if r := p.call(t, "glob", args); r.Outcome != hostapi.OutcomeFailed || !strings.Contains(r.Output, want) {
			t.Errorf("%s: %+v", args, r)
		}
	}
}

func TestGrep(t *testing.T) {
	t.Parallel()
	p := workspace(t, tree)
	for args, want := range map[string]string{
		`{"pattern":"find me"}`:                                    "a.go:1:package a // find me|src/deep/c.txt:1:find me",
		`{"pattern":"find me","case_sensitive":false}`:             "a.go:1:package a // find me|src/b.go:2:// Find me|src/deep/c.txt:1:find me",
		`{"pattern":"find me","glob":"*.go"}`:                      "a.go:1:package a // find me",
		`{"pattern":"find me","glob":"src/**/*.txt"}`:              "src/deep/c.txt:1:find me",
		`{"pattern":"^last$"}`:                                     "src/b.go:3:last",
		`{"pattern":"me$","path":"src/deep"}`:                      "src/deep/c.txt:1:find me|src/deep/c.txt:2:and me",
		`{"pattern":"me\\s+and"}`:                                  "",
		`{"pattern":"\\Afind"}`:                                    "src/deep/c.txt:1:find me",
		`{"pattern":"Find","path":"src/b.go","context":1}`:         "src/b.go-1-package b|src/b.go:2:// Find me|src/b.go-3-last|--",
		`{"pattern":"nothing at all"}`:                             "",
		`{"pattern":"find me","path":"node_modules"}`:              "node_modules/m.go:1:find me",
		`{"pattern":"me","path":"src/deep/c.txt","max_results":2}`: "src/deep/c.txt:1:find me|src/deep/c.txt:2:and me",
	} {
		r := p.call(t, "grep", args)
		if got := strings.ReplaceAll(r.Output, "\n", "|"); got != want || r.Outcome != hostapi.OutcomeOK || r.ExitCode != 0 {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
	r := p.call(t, "grep", `{"pattern":"me","max_results":1}`)
	if r.Truncated || r.Output != "a.go:1:package a // find me" || !strings.Contains(string(r.Metadata), `"more":true,"next":"1:a.go"`) {
		t.Errorf("more than asked: %+v %s", r, r.Metadata)
	}
	for args, want := range map[string]string{`{"pattern":"("}`: "regular expression", `{"pattern":"a(?!b)"}`: "it has no look-ahead", `{"pattern":"x","path":"none"}`: "does not exist", `{"pattern":"x","glob":"[a"}`: "is not a pattern"} {
		if r := p.call(t, "grep", args); r.Outcome != hostapi.OutcomeFailed || !strings.Contains(r.Output, want) {
			t.Errorf("%s: %+v", args, r)
		}
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	p := workspace(t, map[string]string{
		"both.txt": "the quick readLine function\n", "one.txt": "quick\nnothing else of interest here at all\n", "none.txt": "something else\n", "many.txt": strings.Repeat("other words ", 200) + "quick readLine\n",
	})
	r := p.call(t, "search", `{"mode":"bm25","query":"quick line"}`)
	var ranked []struct {
		File  string
		Score float64
		Line  int
	}
	if err := json.Unmarshal(r.Data, &ranked); err != nil || len(ranked) != 3 || ranked[0].File != "both.txt" || ranked[0].Line != 1 || ranked[0].Score <= ranked[1].Score {
		t.Errorf("%v %s", err, r.Data)
	}
	if r := p.call(t, "search", `{"mode":"bm25","query":"quick","include":"one.*"}`); !strings.Contains(r.Output, "one.txt:1:quick") || strings.Contains(r.Output, "both") {
		t.Errorf("include: %+v", r)
	}
	if r := p.call(t, "search", `{"mode":"bm25","query":"??"}`); r.Outcome != hostapi.OutcomeFailed {
		t.Errorf("no words: %+v", r)
	}
	if r := p.call(t, "search", `{"mode":"grep","query":"QUICK","case_sensitive":false,"include":"one.txt"}`); r.Output != "one.txt:1:quick" {
		t.Errorf("grep: %+v", r)
	}
	if r := p.call(t, "search", `{"mode":"glob","query":"*.txt"}`); r.Output != "both.txt\nmany.txt\nnone.txt\none.txt" {
		t.Errorf("glob: %+v", r)
	}
}

func TestCancelledWalk(t *testing.T) {
	t.Parallel()
	p := workspace(t, tree)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for tool, args := range map[string]string{"grep": `{"pattern":"x"}`, "glob": `{"pattern":"**"}`, "search": `{"mode":"bm25","query":"x"}`, "ls": `{}`} {
		if _, err := p.tools[tool].Invoke(ctx, hostapi.Call{Tool: tool, Args: json.RawMessage(args)}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", tool, err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, map[string]string{"file": ""})
	for _, name := range []string{"file", "none"} {
		if _, err := files.Open(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s was opened", name)
		}
	}
}
