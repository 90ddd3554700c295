package scripttools

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/hosttest"
	"github.com/scriptrun/scriptrun/runtime"
	"golang.org/x/tools/txtar"
)

// seed adds the header of every archived tool file in one syntax, without its
// fences.
func seed(f *testing.F, fence string) {
	f.Helper()
	archives, err := filepath.Glob("testdata/load/*.txtar")
	if err != nil || len(archives) == 0 {
		f.Fatalf("found no seeds, error %v", err)
	}
	for _, path := range archives {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range txtar.Parse(data).Files {
			if _, block, ok := strings.Cut(string(file.Data), fence+"\n"); ok {
				block, _, _ = strings.Cut(block, fence)
				f.Add(block)
			}
		}
	}
	f.Add("")
	f.Add("a\r\nb\r")
	f.Add("\x00\xff")
}

func FuzzYAMLHeader(f *testing.F) { fuzzHeader(f, "---") }
func FuzzTOMLHeader(f *testing.F) { fuzzHeader(f, "+++") }
func FuzzJSONHeader(f *testing.F) { fuzzHeader(f, ";;;") }

// fuzzHeader: whatever stands in a header, nothing panics, every problem lies
// inside the file, and a header without problems keeps every rule.
func fuzzHeader(f *testing.F, fence string) {
	seed(f, fence)
	registry, err := hostapi.NewRegistry(&hosttest.Fake{ToolName: "grep"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, block string) {
		for _, comment := range []bool{true, false} {
			body := fence + "\n" + block + "\n" + fence + "\nbody\n"
			if comment {
				body = "/*" + fence + "\n" + block + "\n" + fence + "*/\nbody\n"
			}
			fuzzFile(t, registry, newText("stem.js", []byte(body)), comment)
		}
	})
}

// FuzzFile takes whole files, where the header has to be found.
func FuzzFile(f *testing.F) {
	for _, s := range []string{
		"", "\n", "#!", "#!x\n---\n---", "\ufeff---\nkind: script\n---\n", "/*---\n  ---*/\n---*/", "---\n---x\n---\n",
		"// a\n/* b */ /*---\n---*/", "/*", "//", "/*/*---\n", "/*---\r\nkind: script\r\ndescription: d\r\n---*/\r\n",
	} {
		f.Add(s, true)
		f.Add(s, false)
	}
	registry, err := hostapi.NewRegistry(&hosttest.Fake{ToolName: "grep"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body string, comment bool) {
		fuzzFile(t, registry, newText("stem.js", []byte(body)), comment)
	})
}

func fuzzFile(t *testing.T, registry *hostapi.Registry, file *text, comment bool) {
	t.Helper()
	if p, ok := file.checkEncoding(); !ok {
		inside(t, file, p)
		return
	}
	h, _, problems := splitHeader(file, comment)
	for _, p := range problems {
		inside(t, file, p)
	}
	if h == nil {
		return
	}
	for _, flaw := range h.flaws {
		if flaw.at.line < 1 || flaw.at.line > len(file.lines) || flaw.at.col < 1 {
			t.Fatalf("flaw %+v outside of the file", flaw)
		}
	}
	if h.root == nil {
		if len(h.flaws)+len(problems) == 0 {
			t.Fatal("a header was refused without a reason")
		}
		return
	}
	if encoded := h.root.json(); !json.Valid(encoded) {
		t.Fatalf("the header is not JSON: %s", encoded)
	}
	r := &fieldReader{file: file, header: h}
	if kind := r.kind(); kind != kindScript {
		if kind == kindMCP {
			if spec := r.server(); spec.Command == "" && spec.URL == "" && len(r.problems) == 0 {
				t.Fatal("a server was taken that nobody could reach")
			}
			return
		}
		if len(r.problems) == 0 {
			t.Fatal("a kind was refused without a reason")
		}
		return
	}
	r.unknown(h.root, headerKeys, "the keys")
	name, _ := r.name(registry)
	description := r.description(!comment)
	limits := r.limits()
	r.inputSchema()
	r.schema("output_schema")
	rules := r.checkRules(r.rules(), registry, nil)
	if !comment {
		r.scriptPath()
	}
	for _, p := range r.problems {
		inside(t, file, p)
	}
	if len(r.problems)+len(h.flaws)+len(problems) > 0 {
		return
	}
	if !hostapi.ValidName(name) || name == "grep" {
		t.Errorf("accepted the name %q", name)
	}
	if description == "" || description != strings.TrimSpace(description) {
		t.Errorf("accepted the description %q", description)
	}
	if err := limits.Check(); err != nil {
		t.Error(err)
	}
	if limits.Timeout == 0 || limits.MaxToolCalls == 0 || limits.MaxOutputBytes == 0 || limits.MaxMemoryBytes == 0 {
		t.Errorf("limits without defaults: %+v", limits)
	}
	for _, rule := range rules {
		if rule.Tool != "grep" || rule.From == "" {
			t.Errorf("accepted the rule %+v", rule)
		}
	}
}

// inside checks that a problem points into its file.
func inside(t *testing.T, file *text, p Problem) {
	t.Helper()
	if p.Pos == (runtime.Position{File: file.path}) {
		return
	}
	if p.Pos.Line < 1 || p.Pos.Line > len(file.lines) {
		t.Fatalf("line %d of %d: %v", p.Pos.Line, len(file.lines), &p)
	}
	if width := utf8.RuneCountInString(file.lines[p.Pos.Line-1]); p.Pos.Col < 1 || p.Pos.Col > width+1 {
		t.Fatalf("column %d of %d: %v", p.Pos.Col, width, &p)
	}
	if p.Msg == "" || p.Excerpt == "" {
		t.Fatalf("an empty problem at %v", p.Pos)
	}
}
