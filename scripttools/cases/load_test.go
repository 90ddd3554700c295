package cases_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/scripttools/cases"
)

// TestBrokenFilesAreRefused, each with the place.
func TestBrokenFilesAreRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, want string }{
		"no JSON":           {"{\n  \"cases\": [}\n}", "x.test.json:2:13: this is not JSON: invalid character '}'"},
		"cut":               {`{"cases": [`, "x.test.json:1:12: this is not JSON"},
		"no object":         {`[]`, "x.test.json:1:1: "},
		"no cases":          {`{}`, "x.test.json:1:1: missing property"},
		"unknown key":       {"{\"cases\": [\n  {\"name\": \"a\", \"input\": {}}]}", `x.test.json:2:3: `},
		"no name":           {`{"cases": [{"inputs": {}}]}`, "x.test.json:1:12: missing property 'name'"},
		"same name":         {`{"cases": [{"name": "a"}, {"name": "a"}]}`, "x.test.json:1:36: another case has this name"},
		"no answer":         {`{"cases": [{"name": "a", "calls": [{"tool": "x"}]}]}`, "x.test.json:1:36: it has no answer"},
		"two answers":       {`{"cases": [{"name": "a", "calls": [{"tool": "x", "result": "", "pending": true}]}]}`, "or several"},
		"operations":        {`{"cases": [{"name": "a", "calls": [{"tool": "x", "result": "", "operations": []}, {"tool": "x", "result": "", "operations": [{"operation": "wait", "result": ""}]}]}]}`, `only a call in the background has operations`},
		"started or not":    {`{"cases": [{"name": "a", "calls": [{"tool": "x", "background": true, "result": "", "operations": [{"operation": "wait", "result": ""}]}]}]}`, "if nothing was started"},
		"unknown matcher":   {`{"cases": [{"name": "a", "value": [1, {"$mach": "x"}]}]}`, "x.test.json:1:39: there is no matcher $mach; did you mean $match?"},
		"no expression":     {`{"cases": [{"name": "a", "value": {"$match": "("}}]}`, "$match takes a regular expression"},
		"no type":           {`{"cases": [{"name": "a", "value": {"$any": "text"}}]}`, `there is no type "text"`},
		"has what":          {`{"cases": [{"name": "a", "value": {"$has": 1}}]}`, "$has takes an object, a list or a text"},
		"a value that fell": {`{"cases": [{"name": "a", "outcome": "failed", "value": 1}]}`, "x.test.json:1:56: a run whose outcome is failed has no value"},
		"an error of ok":    {`{"cases": [{"name": "a", "error": {"message": "x"}}]}`, "say the outcome"},
	} {
		path := filepath.Join(t.TempDir(), "x.test.json")
		if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := cases.Load(path); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v\nwant: %s", name, err, test.want)
		}
	}
	for _, name := range []string{"x.test.json", "nowhere/x.test.json"} {
		if _, err := cases.Load(filepath.Join(t.TempDir(), name)); err == nil || !strings.Contains(err.Error(), "it cannot be read: no such file") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := cases.Load(t.TempDir()); err == nil || !strings.Contains(err.Error(), "directory") {
		t.Errorf("of a directory: %v", err)
	}
}

// TestWritingKeepsWhatIsThere: a file that was written is read and written as it is, on lines
// that people can compare.
func TestWritingKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	const text = `{
  "$schema": "./cases.schema.json",
  "cases": [
    {
      "name": "one",
      "inputs": {"b": 1, "a": ["<x>", "é", 1.50]},
      "now": "2026-01-01T00:00:00Z",
      "seed": 7,
      "calls": [
        {"tool": "grep", "args": {"pattern": "x"}, "result": {"output": ["a", "b", ""], "data": []}},
        {"tool": "read", "result": "one line"},
        {"tool": "read", "result": ["two", "lines"]},
        {
          "tool": "bash",
          "background": true,
          "operations": [
            {"operation": "wait", "result": {"text": ["x", ""], "exitCode": 1}},
            {"operation": "kill", "refused": "no"},
            {"operation": "wait", "pending": true}
          ]
        }
      ],
      "outcome": "failed",
      "error": {"message": {"$match": "x"}}
    },
    {"name": "two", "value": null}
  ]
}
`
	path := filepath.Join(t.TempDir(), "x.test.json")
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
	file, err := cases.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Write(path); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(written, []byte(text)) {
		t.Errorf("%v\n%s", err, written)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
}

func TestPathOf(t *testing.T) {
	t.Parallel()
	for tool, want := range map[string]string{"tools/x.js": "tools/x.test.json", "x.y.mjs": "x.y.test.json", "a.b/x.md": "a.b/x.test.json"} {
		if got := cases.PathOf(tool); got != want {
			t.Errorf("%s: %s", tool, got)
		}
	}
}
