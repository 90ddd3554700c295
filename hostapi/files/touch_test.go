package files_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
)

// TestDenyingRulesOfFiles: a rule about a file is about every tool that does the same,
// by whatever name the file is given, and about the folders that hold it.
func TestDenyingRulesOfFiles(t *testing.T) {
	t.Parallel()
	p := workspace(t, map[string]string{".env": "KEY=1", "src/.env": "KEY=2", "src/a.go": "package a", "docs/x.md": "x", "deep/a/b/c.txt": "c"})
	link(t, p.dir, ".env", "link")
	link(t, p.dir, "src", "other")
	registry := p.registry(t)
	var all hostapi.AllowList
	for _, name := range registry.Names() {
		all = append(all, hostapi.Rule{Tool: name})
	}
	for _, c := range []struct {
		deny, tool, args string
		denied           bool
	}{
		{"read(**/.env)", "read", `{"file_path":".env"}`, true},
		{"read(**/.env)", "read", `{"file_path":"./src/../.env"}`, true},
		{"read(**/.env)", "read", `{"file_path":"src/.env"}`, true},
		{"read(**/.env)", "read", `{"file_path":"link"}`, true},
		{"read(**/.env)", "read", `{"file_path":"other/.env"}`, true},
		{"read(**/.env)", "json", `{"file_path":".env"}`, true},
		{"read(**/.env)", "yaml", `{"file_path":".env"}`, true},
		{"read(**/.env)", "grep", `{"pattern":"KEY","path":".env"}`, true},
		{"read(**/.env)", "grep", `{"pattern":"KEY"}`, true},
		{"read(**/.env)", "grep", `{"pattern":"KEY","path":"src"}`, true},
		{"read(**/.env)", "search", `{"mode":"bm25","query":"KEY"}`, true},
		{"read(**/.env)", "edit", `{"file_path":".env","old_string":"K","new_string":"k"}`, true},
		{"read(**/.env)", "move", `{"from":".env","to":"x"}`, true},
		{"read(**/.env)", "move", `{"from":"src","to":"y"}`, true},
		{"read(**/.env)", "delete", `{"path":".env"}`, true},
		{"read(**/.env)", "delete", `{"path":"src"}`, true},
		{"read(**/.env)", "read", `{"file_path":"src/a.go"}`, false},
		{"read(**/.env)", "write", `{"file_path":".env","content":"x"}`, false},
		{"read(src/*)", "grep", `{"pattern":"x","path":"docs"}`, false},
		{"read(src/*)", "grep", `{"pattern":"x","path":"src"}`, true},
		{"read(src/*)", "read", `{"file_path":"other/a.go"}`, true},
		{"read(deep/*/c.txt)", "grep", `{"pattern":"x","path":"deep/a/b"}`, false},
		{"read(deep/**/c.txt)", "grep", `{"pattern":"x","path":"deep/a/b"}`, true},
		{"read(other/*)", "read", `{"file_path":"other/a.go"}`, true},
		{"write(docs/**)", "write", `{"file_path":"docs/new.md","content":"x"}`, true},
		{"write(docs/**)", "edit", `{"file_path":"docs/x.md","old_string":"x","new_string":"y"}`, true},
		{"write(docs/**)", "move", `{"from":"src/a.go","to":"docs/a.go"}`, true},
		{"write(docs/**)", "delete", `{"path":"docs"}`, true},
		{"write(docs/**)", "delete", `{"path":"src/a.go"}`, false},
		{"write(docs/**)", "read", `{"file_path":"docs/x.md"}`, false},
		{"write", "edit", `{"file_path":"src/a.go","old_string":"a","new_string":"b"}`, true},
		{"delete(src/**)", "move", `{"from":"src/a.go","to":"b.go"}`, true},
		{"delete(src/a.go)", "write", `{"file_path":"src/a.go","content":""}`, true},
		{"glob(src/**)", "ls", `{"path":"src"}`, true},
	} {
		rule, err := hostapi.ParseRule(c.deny)
		if err != nil {
			t.Fatal(err)
		}
		asked := 0
		gate := hostapi.NewGate(t.Context(), hostapi.GateConfig{Registry: registry, Policies: []hostapi.Policy{all, hostapi.Rules{Ask: []hostapi.Rule{rule}}}, Approver: count{&asked}})
		_, err = gate.Invoke(t.Context(), hostapi.Call{Seq: 1, Tool: c.tool, Args: json.RawMessage(c.args)})
		if (asked == 1) != c.denied || errors.Is(err, hostapi.ErrDenied) != c.denied {
			t.Errorf("deny %s, %s %s: asked %d, %v", c.deny, c.tool, c.args, asked, err)
		}
		gate.Close(0)
		if c.denied {
			continue
		}
		put(t, p.dir, map[string]string{"src/a.go": "package a", ".env": "KEY=1"}) // what was made is undone
	}
}

// registry has the tools of a workspace.
func (p *place) registry(t *testing.T) *hostapi.Registry {
	t.Helper()
	registry, err := hostapi.NewRegistry(slices.Collect(maps.Values(p.tools))...)
	if err != nil {
		t.Fatal(err)
	}
	return registry
}

// count says no, and how often.
type count struct{ asked *int }

func (c count) Approve(context.Context, hostapi.Question) (hostapi.Answer, error) {
	*c.asked++
	return hostapi.AnswerNo, nil
}

// TestPreviews: what a person is shown of a change is the change.
func TestPreviews(t *testing.T) {
	t.Parallel()
	registry := workspace(t, map[string]string{"a.txt": "one\ntwo\nthree\n"}).registry(t)
	for _, c := range []struct{ tool, args, shows string }{
		{"write", `{"file_path":"a.txt","content":"one\n2\nthree\n"}`, " one\n-two\n+2\n three\n"},
		{"edit", `{"file_path":"a.txt","old_string":"two","new_string":"2"}`, "-two\n+2\n"},
		{"write", `{"file_path":"new.txt","content":"fresh"}`, "new file new.txt, 5 bytes\nfresh"},
		{"write", `{"file_path":"a.txt","content":"` + strings.Repeat("x", 1<<20) + `"}`, "a.txt, 1048576 bytes in place of 14"},
		{"move", `{"from":"a.txt","to":"b.txt"}`, "move a.txt to b.txt"},
		{"delete", `{"path":"a.txt"}`, "delete a.txt"},
	} {
		var q hostapi.Question
		gate := hostapi.NewGate(t.Context(), hostapi.GateConfig{
			Registry: registry, Approver: keep{&q},
			Policies: []hostapi.Policy{hostapi.AllowList{{Tool: c.tool}}, hostapi.Rules{Ask: []hostapi.Rule{{Tool: c.tool}}}},
		})
		if _, err := gate.Invoke(t.Context(), hostapi.Call{Seq: 1, Tool: c.tool, Args: json.RawMessage(c.args)}); !errors.Is(err, hostapi.ErrDenied) {
			t.Error(err)
		}
		gate.Close(0)
		if !strings.Contains(q.Preview, c.shows) || len(q.Preview) > 1<<20+100 {
			t.Errorf("%s shows %.300q, want %q", c.tool, q.Preview, c.shows)
		}
	}
}

// keep says no, and keeps what it was asked.
type keep struct{ question *hostapi.Question }

func (k keep) Approve(_ context.Context, q hostapi.Question) (hostapi.Answer, error) {
	*k.question = q
	return hostapi.AnswerNo, nil
}

// TestAlternativesOfRulesAreBounded: a pattern that would take for ever is refused when
// its rule is read, and where nobody could check it, calls count that it may be about.
func TestAlternativesOfRulesAreBounded(t *testing.T) {
	t.Parallel()
	p := workspace(t, map[string]string{"a.json": "{}"})
	forever := strings.Repeat("{a,aa}", 40) + "b"
	registry := p.registry(t)
	for _, tool := range []string{"read", "write", "edit", "json", "delete", "grep"} {
		if err := registry.CheckRule(hostapi.Rule{Tool: tool, Pattern: forever}); err == nil || !strings.Contains(err.Error(), "multiply") {
			t.Errorf("%s: %v", tool, err)
		}
	}
	if err := registry.CheckRule(hostapi.Rule{Tool: "read", Pattern: "{src,docs,{a,b}}/**/*.{go,md,txt}"}); err != nil {
		t.Error(err)
	}
	only, err := hostapi.NewRegistry(p.tools["json"]) // and no read, for which the rules are
	if err != nil {
		t.Fatal(err)
	}
	for _, policy := range []hostapi.Policy{
		hostapi.Rules{Deny: []hostapi.Rule{{Tool: "read", Pattern: forever}}}, hostapi.Rules{Allow: []hostapi.Rule{{Tool: "json", Pattern: forever}}},
	} {
		gate := hostapi.NewGate(t.Context(), hostapi.GateConfig{Registry: only, Policies: []hostapi.Policy{hostapi.AllowList{{Tool: "json"}}, policy}})
		if _, err := gate.Invoke(t.Context(), hostapi.Call{Tool: "json", Args: json.RawMessage(`{"file_path":"` + strings.Repeat("a", 200) + `"}`)}); !errors.Is(err, hostapi.ErrDenied) {
			t.Error(err)
		}
		gate.Close(0)
	}
}
