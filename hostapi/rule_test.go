package hostapi_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/hosttest"
)

func TestParseRule(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]hostapi.Rule{
		"grep":                       {Tool: "grep"},
		" grep ":                     {Tool: "grep"},
		"read(src/**)":               {Tool: "read", Pattern: "src/**"},
		"bash( git log * )":          {Tool: "bash", Pattern: "git log *"},
		"bash(echo (a) b)":           {Tool: "bash", Pattern: "echo (a) b"},
		"mcp__github__get_issue":     {Tool: "mcp__github__get_issue"},
		"fetch(https://a.example/*)": {Tool: "fetch", Pattern: "https://a.example/*"},
	} {
		got, err := hostapi.ParseRule(text)
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for text, want := range map[string]struct {
		offset int
		msg    string
	}{
		"":                      {0, "expected a tool name"},
		"(x)":                   {0, "expected a tool name"},
		"gr ep":                 {2, "letters, digits"},
		"  gr.ep":               {4, "letters, digits"},
		"read(":                 {5, "expected )"},
		"read(a":                {6, "expected )"},
		"read()":                {5, "empty"},
		"read(  )":              {5, "empty"},
		"read(a\nb)":            {6, "one line"},
		"read(a) b":             {9, "expected )"},
		"\"read\"":              {0, "letters, digits"},
		"naïve":                 {2, "letters, digits"},
		"read(a\x00b)":          {6, "one line"},
		strings.Repeat("a", 65): {64, "at most 64"},
	} {
		_, err := hostapi.ParseRule(text)
		var bad *hostapi.RuleError
		if !errors.As(err, &bad) || bad.Offset != want.offset || !strings.Contains(bad.Msg, want.msg) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestRegistry(t *testing.T) {
	t.Parallel()
	fake := func(name string) hostapi.Tool { return &hosttest.Fake{ToolName: name} }
	bad := &hosttest.Fake{ToolName: "x", About: hostapi.Description{Input: json.RawMessage(`{"type":"objekt"}`)}}
	for want, tools := range map[string][]hostapi.Tool{
		"registered twice": {fake("a"), fake("a")}, "reserved": {fake("program")}, "a name matches": {fake("a b")}, "input schema": {bad},
	} {
		if _, err := hostapi.NewRegistry(tools...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	bad.About.Checked = true // a promise that does not hold is found by the first call
	_, err := gate(t, hostapi.GateConfig{Registry: registry(t, bad), Policies: []hostapi.Policy{hostapi.AllowList(rules(t, "x"))}}).Invoke(t.Context(), hostapi.Call{Tool: "x", Args: json.RawMessage(`{}`)})
	var refused *hostapi.ArgumentError
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "own input schema: /type") || len(bad.Calls()) > 0 {
		t.Errorf("%v after %d calls", err, len(bad.Calls()))
	}
	r := registry(t, fake("grep"), &paths{hosttest.Fake{ToolName: "paths"}})
	if got := strings.Join(r.Names(), " "); got != "grep paths" {
		t.Errorf("names %s", got)
	}
	for text, want := range map[string]string{
		"grep": "", "paths": "", "paths(a)": "", "special": "",
		"paths(!)": "has no !", "grep(x)": "takes no pattern", "special(x)": "takes no pattern", "grepp": `"grep"`, "gerp": `"grep"`, "approve": "is no tool", "program": "can never be allowed", "script": "can never be allowed",
	} {
		err := r.CheckRule(rules(t, text)[0])
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	known := registry(t, fake("bash"), fake("read"), fake("fetch"))
	for name, want := range map[string]string{"shell": `"bash"`, "Bash": `"bash"`, "exec": `"bash"`, "Cat": `"read"`, "WebFetch": `"fetch"`, "rm": "it offers bash, fetch, read", "zebra": "it offers"} {
		if err := known.CheckRule(rules(t, name)[0]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var none *hostapi.Registry
	if _, ok := none.Lookup("grep"); ok || none.Names() != nil || none.CheckRule(hostapi.Rule{Tool: "grep"}) == nil {
		t.Error("the nil registry offers something")
	}
}

func FuzzParseRule(f *testing.F) {
	for _, s := range []string{"grep", "bash(git log *)", "read( src/** )", "a(b", "(", "é(x)", "a\x00(b)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rule, err := hostapi.ParseRule(text)
		if err != nil {
			var bad *hostapi.RuleError
			if !errors.As(err, &bad) || bad.Offset < 0 || bad.Offset > len(text) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if !hostapi.ValidName(rule.Tool) {
			t.Fatalf("%q gave the name %q", text, rule.Tool)
		}
		again, err := hostapi.ParseRule(rule.String())
		if err != nil || again != rule {
			t.Fatalf("%q became %q, then %+v, %v", text, rule, again, err)
		}
	})
}

// A rule stands in every row that it grants, so that it has a bound.
func TestRulesHaveABound(t *testing.T) {
	t.Parallel()
	stars := strings.Repeat("*", hostapi.MaxRuleBytes)
	_, err := hostapi.ParseRule("ls(" + stars + ")")
	var bad *hostapi.RuleError
	if !errors.As(err, &bad) || !strings.Contains(err.Error(), "at most 4096") || len(err.Error()) > 1000 {
		t.Errorf("got %v", err)
	}
	rule, err := hostapi.ParseRule("ls(" + stars[len("ls()"):] + ")")
	if err != nil {
		t.Fatal(err)
	}
	tool := &paths{hosttest.Fake{ToolName: "ls", Answer: hostapi.Succeed("")}}
	long := hostapi.Rule{Tool: "ls", Pattern: stars}
	if err := registry(t, tool).CheckRule(long); err == nil || !strings.Contains(err.Error(), "at most 4096") {
		t.Errorf("a rule that nobody parsed: %v", err)
	}
	g := gate(t, hostapi.GateConfig{Registry: registry(t, tool), Policies: []hostapi.Policy{hostapi.AllowList{rule}}})
	if _, err := g.Invoke(t.Context(), hostapi.Call{Seq: 1, Tool: "ls", Args: json.RawMessage(`{"path":"` + rule.Pattern + `"}`)}); err != nil {
		t.Fatal(err)
	}
	if row := g.Records()[0]; len(row.Rule) > 1100 || !strings.HasPrefix(row.Rule, "ls(***") || !strings.HasSuffix(row.Rule, "(4096 bytes)") {
		t.Errorf("the row has %d bytes of rule: %.20s", len(row.Rule), row.Rule)
	}
}
