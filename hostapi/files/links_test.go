package files_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/files"
)

func link(tb testing.TB, dir, target, name string) {
	tb.Helper()
	if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
		tb.Fatal(err)
	}
}

// No link leads out, by whatever road; those that stay inside work.
func TestLinks(t *testing.T) {
	t.Parallel()
	p := workspace(t, map[string]string{"in/a.txt": "inside\n", "x": ""})
	link(t, p.dir, "../secret", "out")
	link(t, p.dir, "..", "up")
	link(t, p.dir, filepath.Join(filepath.Dir(p.dir), "secret"), "absolute")
	link(t, p.dir, "in/a.txt", "within")
	link(t, p.dir, filepath.Join(p.dir, "in", "a.txt"), "within-absolute")
	link(t, p.dir, "loop", "loop")
	link(t, p.dir, "in", "folder")
	link(t, p.dir, "out", "twice")
	for _, name := range []string{"out", "up/secret", "absolute", "twice", "in/../up/secret", "folder/../../secret"} {
		for tool, args := range map[string]map[string]any{
			"read": {"file_path": name}, "write": {"file_path": name, "content": "x"}, "edit": {"file_path": name, "old_string": "the", "new_string": "x"},
			"ls": {"path": name}, "grep": {"path": name, "pattern": "secret"}, "glob": {"path": name, "pattern": "*"}, "search": {"path": name, "mode": "bm25", "query": "secret"},
		} {
			r := p.call(t, tool, args)
			if r.Outcome != hostapi.OutcomeFailed || strings.Contains(r.Output, "the secret") || !strings.Contains(r.Output, "outside") {
				t.Errorf("%s %s: %+v", tool, name, r)
			}
		}
	}
	for _, name := range []string{"within", "within-absolute", "folder/a.txt"} {
		if r := p.call(t, "read", map[string]any{"file_path": name}); r.Outcome != hostapi.OutcomeOK || *r.Text != "inside\n" {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if r := p.call(t, "read", `{"file_path":"loop"}`); r.Outcome != hostapi.OutcomeFailed {
		t.Errorf("loop: %+v", r)
	}
	if r := p.call(t, "grep", `{"pattern":"secret|inside"}`); r.Output != "in/a.txt:1:inside" {
		t.Errorf("a walk followed a link: %+v", r)
	}
	if r := p.call(t, "write", `{"file_path":"within","content":"new"}`); r.Outcome != hostapi.OutcomeOK || p.text(t, "in/a.txt") != "new" {
		t.Errorf("a write through a link: %+v", r)
	}
	secret, err := os.ReadFile(filepath.Join(filepath.Dir(p.dir), "secret"))
	if err != nil || string(secret) != "the secret" {
		t.Errorf("the secret is %q, %v", secret, err)
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	p := workspace(t, map[string]string{"docs/a.md": "a", "docs/deep/b.md": "b", "src/x.go": "x", "secret.txt": "s"})
	link(t, p.dir, "../secret.txt", "docs/link.md")
	w, err := files.Open(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	registry, err := hostapi.NewRegistry(w.Tools()...)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		rule, tool, args string
		granted          bool
	}{
		{"read(docs/**)", "read", `{"file_path":"docs/a.md"}`, true},
		{"read(docs/**)", "read", `{"file_path":"docs/deep/b.md"}`, true},
		{"read(docs/*)", "read", `{"file_path":"docs/deep/b.md"}`, false},
		{"read(docs/**)", "read", `{"file_path":"src/x.go"}`, false},
		{"read(docs/**)", "read", `{"file_path":"docs/../src/x.go"}`, false},
		{"read(docs/**)", "read", `{"file_path":"docs/link.md"}`, false},
		{"read(docs/**)", "read", `{"file_path":"../outside"}`, false},
		{"read(**/*.md)", "read", `{"file_path":"./docs//a.md"}`, true},
		{"write(reports/**)", "write", `{"file_path":"reports/new.txt","content":""}`, true},
		{"write(reports/**)", "write", `{"file_path":"reports","content":""}`, true}, // a folder's own name; nothing else is there
		{"write(reports/**)", "write", `{"file_path":"reports/../x","content":""}`, false},
		{"grep(docs/**)", "grep", `{"pattern":"a","path":"docs"}`, true},
		{"grep(docs/**)", "grep", `{"pattern":"a","path":"docs/deep"}`, true},
		{"grep(docs/**)", "grep", `{"pattern":"a"}`, false},
		{"grep(docs/a.md)", "grep", `{"pattern":"a","path":"docs/a.md"}`, true},
		{"grep(docs)", "grep", `{"pattern":"a","path":"docs"}`, false},
		{"grep(**)", "grep", `{"pattern":"a"}`, true},
		{"search", "grep", `{"pattern":"a"}`, true},
		{"search", "glob", `{"pattern":"*"}`, true},
		{"search", "read", `{"file_path":"docs/a.md"}`, false},
		{"grep", "search", `{"mode":"grep","query":"a"}`, true},
		{"grep", "search", `{"mode":"bm25","query":"a"}`, false},
		{"bm25", "search", `{"mode":"bm25","query":"a"}`, true},
		{"glob", "search", `{"mode":"glob","query":"*"}`, true},
		{"glob", "grep", `{"pattern":"a"}`, false},
	} {
		rule, err := hostapi.ParseRule(c.rule)
		if err != nil {
			t.Fatal(err)
		}
		if err := registry.CheckRule(rule); err != nil {
			t.Errorf("%s: %v", c.rule, err)
		}
		gate := hostapi.NewGate(t.Context(), hostapi.GateConfig{Registry: registry, Policies: []hostapi.Policy{hostapi.AllowList{rule}}})
		_, err = gate.Issue(t.Context(), hostapi.Call{Seq: 1, Tool: c.tool, Args: json.RawMessage(c.args)})
		gate.Close(0)
		if (err == nil) != c.granted {
			t.Errorf("%s for %s %s: %v", c.rule, c.tool, c.args, err)
		}
	}
	for rule, want := range map[string]string{
		"read(/etc/**)": "relative", "read(../x)": "relative", "read([a)": "not a path pattern", "grep(src/*.go)": "would never match", "glob(*)": "would never match", "read(a/../b)": "relative",
	} {
		parsed, err := hostapi.ParseRule(rule)
		if err != nil {
			t.Fatal(err)
		}
		if err := registry.CheckRule(parsed); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", rule, err)
		}
	}
}

// Whatever the path, what is read lies in the workspace.
func FuzzPath(f *testing.F) {
	for _, s := range []string{"a", "../secret", "up/secret", "in/../../secret", "/", "//", "a/./b", "up/ws/a", "\x00", "in/a.txt/..", "C:\\x", "~"} {
		f.Add(s)
	}
	p := workspace(f, map[string]string{"a": "inside", "in/a.txt": "inside"})
	link(f, p.dir, "..", "up")
	link(f, p.dir, "../secret", "in/out")
	f.Fuzz(func(t *testing.T, path string) {
		args, err := json.Marshal(map[string]string{"file_path": path})
		if err != nil {
			t.Fatal(err)
		}
		result, err := p.tools["read"].Invoke(t.Context(), hostapi.Call{Tool: "read", Args: args})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(result.Output, "the secret") {
			t.Fatalf("%q leads out", path)
		}
	})
}
