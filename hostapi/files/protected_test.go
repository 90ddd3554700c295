package files_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/files"
	"github.com/scriptrun/scriptrun/hostapi/protect"
)

// plants are calls that would have something run outside by itself.
var plants = []struct{ tool, args string }{
	{"write", `{"file_path":".git/config","content":"evil"}`},
	{"write", `{"file_path":".git/hooks/pre-commit","content":"evil"}`},
	{"write", `{"file_path":".git/modules/part/config","content":"evil"}`},
	{"write", `{"file_path":".GIT/Config","content":"evil"}`},
	{"write", `{"file_path":"new/deep/.git/config","content":"evil"}`},
	{"write", `{"file_path":".git","content":"gitdir: ../evil"}`},
	{"edit", `{"file_path":".git/config","old_string":"bare","new_string":"evil"}`},
	{"write", `{"file_path":".vscode/tasks.json","content":"evil"}`},
	{"write", `{"file_path":"./sub/../.vscode/tasks.json","content":"evil"}`},
	{"write", `{"file_path":"sub/.vscode/tasks.json","content":"evil"}`},
	{"write", `{"file_path":"$DIR/.envrc","content":"evil"}`},
	{"write", `{"file_path":".ssh/authorized_keys","content":"evil"}`},
	{"write", `{"file_path":"sub/.SSH/config","content":"evil"}`},
	{"move", `{"from":"payload","to":".ssh"}`},
	{"write", `{"file_path":"outhooks/pre-push","content":"evil"}`},
	{"write", `{"file_path":"outconf/git","content":"evil"}`},
	{"write", `{"file_path":"outconf/hooks/pre-commit","content":"evil"}`},
	{"write", `{"file_path":"sub/later","content":"evil"}`},
	{"write", `{"file_path":"far/barehooks/post-update","content":"evil"}`},
	{"move", `{"from":"outhooks","to":"outhooks2"}`},
	{"move", `{"from":"outconf","to":"outconf2"}`},
	{"edit", `{"file_path":".envrc","old_string":"ok","new_string":"evil"}`},
	{"write", `{"file_path":"scriptrun.toml","content":"evil"}`},
	{"write", `{"file_path":".mcp.json","content":"evil"}`},
	{"write", `{"file_path":"my/tools/x.js","content":"evil"}`},
	{"write", `{"file_path":"way/config","content":"evil"}`},
	{"write", `{"file_path":"editor/workspace.xml","content":"evil"}`},
	{"move", `{"from":"payload","to":".cursor"}`},
	{"move", `{"from":"payload","to":".git/modules/x"}`},
	{"move", `{"from":"payload","to":"my/tools/payload"}`},
	{"move", `{"from":"payload/f","to":".mcp.json"}`},
	{"move", `{"from":"payload/f","to":".envrc","overwrite":true}`},
	{"move", `{"from":".git","to":"git"}`},
	{"move", `{"from":".git/hooks","to":"hooks"}`},
	{"move", `{"from":"my","to":"mine"}`},
	{"move", `{"from":"editor","to":"e2"}`},
	{"move", `{"from":".idea","to":"i2"}`},
	{"write", `{"file_path":"near/HEAD","content":"ref: refs/heads/x"}`},
	{"write", `{"file_path":"near/head","content":"ref: refs/heads/x"}`},
	{"write", `{"file_path":"half/objects/info/x","content":""}`},
	{"move", `{"from":"payload","to":"half/objects"}`},
	{"move", `{"from":"payload/f","to":"near/HEAD"}`},
	{"move", `{"from":"near/objects","to":"half/objects"}`},
	{"write", `{"file_path":"half/commondir","content":"../near"}`},
	{"write", `{"file_path":"bare/config","content":"evil"}`},
	{"write", `{"file_path":"bare/hooks/post-commit","content":"evil"}`},
	{"write", `{"file_path":"bare/config.worktree","content":"evil"}`},
	{"write", `{"file_path":"bare/modules/x/config","content":"evil"}`},
	{"write", `{"file_path":"bare/worktrees/x/config.worktree","content":"evil"}`},
	{"write", `{"file_path":"bare/rebase-merge/git-rebase-todo","content":"exec evil"}`},
	{"write", `{"file_path":"bare/commondir","content":"../evil"}`},
	{"edit", `{"file_path":"bare/config","old_string":"bare","new_string":"evil"}`},
	{"move", `{"from":"payload/f","to":"bare/config","overwrite":true}`},
	{"move", `{"from":"bare/config","to":"c"}`},
	{"delete", `{"path":"bare/config"}`},
	{"delete", `{"path":"bare/HEAD"}`},
	{"write", `{"file_path":"hk/post-commit","content":"evil"}`},
	{"write", `{"file_path":"hk/deep/x","content":"evil"}`},
	{"write", `{"file_path":"conf/git","content":"[core] fsmonitor = evil"}`},
	{"edit", `{"file_path":"conf/git","old_string":"later","new_string":"evil"}`},
	{"write", `{"file_path":"conf/later","content":"[core] fsmonitor = evil"}`},
	{"write", `{"file_path":"nowhere/at/all","content":"[core] fsmonitor = evil"}`},
	{"move", `{"from":"payload","to":"nowhere"}`},
	{"write", `{"file_path":"filters/clean","content":"evil"}`},
	{"move", `{"from":"filters","to":"f2"}`},
	{"move", `{"from":"payload/f","to":"hk/post-commit"}`},
	{"delete", `{"path":"conf"}`},
	{"delete", `{"path":"ways/cur"}`},
	{"write", `{"file_path":"ways/v1/helix","content":"evil"}`},
	{"write", `{"file_path":"nest/hk/post-commit","content":"evil"}`},
	{"move", `{"from":"sub/x","to":"sub/.hg"}`},
	{"move", `{"from":"sub/x","to":"sub/.HG"}`},
	{"move", `{"from":"sub/x","to":".HG"}`},
	{"move", `{"from":"sub/y","to":"new/deep/.jj"}`},
	{"move", `{"from":"sub/z","to":"sub/.config"}`},
	{"move", `{"from":"sub/way","to":"sub/.hg"}`},
	{"delete", `{"path":".git"}`},
	{"delete", `{"path":".git/config"}`},
	{"delete", `{"path":".idea"}`},
	{"delete", `{"path":"editor"}`},
	{"delete", `{"path":"my"}`},
	{"delete", `{"path":"my/tools"}`},
	{"delete", `{"path":"my/tools/a.js"}`},
	{"delete", `{"path":".config"}`},
	{"delete", `{"path":"linked"}`},
	{"move", `{"from":"linked","to":"linked2"}`},
	{"move", `{"from":"byway","to":"byway2"}`},
	{"delete", `{"path":"byway"}`},
	{"move", `{"from":"payload/f","to":"linked","overwrite":true}`},
	{"write", `{"file_path":"linked/x.js","content":"evil"}`},
	{"write", `{"file_path":"byway/tools/x.js","content":"evil"}`},
	{"delete", `{"path":"scriptrun.toml"}`},
}

// newProject is a workspace with all that the plants are about.
func newProject(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	put(t, dir, map[string]string{
		".git/config": "[core]\n\tbare = false\n\thooksPath = hk\n[include]\n\tpath = ../conf/git\n\tpath = ../nowhere/at/all\n[filter \"x\"]\n\tclean = sh ./filters/clean %f\n",
		"hk/pre-push": "ok", "conf/git": "[include] path = later\n", "filters/clean": "ok", "ways/v1/helix": "ok", "nest/.git/config": "[core] hooksPath = hk", "nest/hk/x": "",
		"out/.git/config": "[core] hooksPath = ../outhooks\n[include] path = ../../outconf/git\n[include] path = ../../sub/later\n", "outhooks/x": "", "outconf/git": "[core] fsmonitor = ./outprogs/run\n",
		"deep/er/.git/config": "[core] hooksPath = ../../outconf/hooks\n", "far/bare.git/config": "[core] hooksPath = ../barehooks\n", "far/bare.git/HEAD": "ref: refs/heads/x", "far/bare.git/objects/x": "", "far/bare.git/refs/x": "", "far/barehooks/x": "",
		".git/HEAD": "x", ".git/hooks/x.sample": "x", ".vscode/settings.json": "{}", ".envrc": "ok", "my/tools/a.js": "a",
		"near/objects/x": "", "near/refs/x": "", "half/HEAD": "ref: refs/heads/x", "half/refs/x": "", "half/config": "evil",
		"bare/HEAD": "ref: refs/heads/x", "bare/objects/x": "", "bare/refs/x": "", "bare/config": "bare",
		"editor/f": "f", "payload/f": "f", "scriptrun.toml": "", "sub/f": "f", ".config/git/config": "x",
		"sub/x/hgrc": "evil", "sub/y/REPO/x": "evil", "sub/z/mise/config.toml": "evil", "sub/no/x": "", "far/.hg/hgrc": "mine",
	})
	for link, to := range map[string]string{"way": ".git", "sub/way": "no", ".idea": "editor", "ways/cur": "v1", ".helix": "ways/cur/helix", "linked": "my/tools", "byway": "my"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func call(t *testing.T, dir string, protected protect.Paths, tool, args string, allow ...hostapi.Rule) (hostapi.Result, error) {
	t.Helper()
	w, err := files.OpenProtecting(dir, protected)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	registry, err := hostapi.NewRegistry(w.Tools()...)
	if err != nil {
		t.Fatal(err)
	}
	gate := hostapi.NewGate(t.Context(), hostapi.GateConfig{Registry: registry, Policies: []hostapi.Policy{hostapi.AllowList(allow)}})
	defer gate.Close(0)
	return gate.Invoke(t.Context(), hostapi.Call{Tool: tool, Args: json.RawMessage(strings.ReplaceAll(args, "$DIR", dir))})
}

// content is all that is in a folder, but for the folders.
func content(t *testing.T, dir string) string {
	t.Helper()
	var text strings.Builder
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			raw, _ := os.ReadFile(path)
			fmt.Fprintf(&text, "%s: %s\n", path, raw)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// TestWhatRunsOutsideIsNotWritten: neither a rule without a pattern nor one with
// wildcards grants a call that changes what runs by itself, and the refusal names
// the setting.
func TestWhatRunsOutsideIsNotWritten(t *testing.T) {
	t.Parallel()
	dir := newProject(t)
	protected := protect.Paths{Further: []string{filepath.Join(dir, "my", "tools")}}
	protected.Further = append(protected.Further, filepath.Join(dir, "linked"), filepath.Join(dir, "byway", "tools"))
	before := content(t, dir)
	for _, p := range plants {
		for _, pattern := range []string{"", "**", "{.git,.vscode,my,editor,.idea,near,half,bare,hk,conf,nowhere,filters,linked,byway,ways,nest,sub,new,outhooks,outconf,far}/**", ".[a-z]*/**"} {
			result, err := call(t, dir, protected, p.tool, p.args, hostapi.Rule{Tool: p.tool, Pattern: pattern})
			said := result.Output
			if err != nil {
				said = err.Error()
			}
			if err == nil && result.Outcome == hostapi.OutcomeOK || pattern == "" && !strings.Contains(said, "[sandbox] unprotect = [") {
				t.Errorf("%s(%s) %s: %q", p.tool, pattern, p.args, said)
			}
			if now := content(t, dir); now != before {
				t.Fatalf("%s(%s) %s changed\n%s", p.tool, pattern, p.args, now)
			}
		}
	}
}

// TestWhatIsNamedIsWritten: a rule that names what is protected grants it, and so
// does an exception; other files are nobody's matter.
func TestWhatIsNamedIsWritten(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tool, pattern, args string
		except              []string
	}{
		{"write", ".vscode/**", `{"file_path":".vscode/tasks.json","content":"x"}`, nil},
		{"write", ".ssh/**", `{"file_path":".ssh/config","content":"x"}`, nil},
		{"write", "", `{"file_path":".ssh/config","content":"x"}`, []string{".ssh"}},
		{"write", ".vscode/*.json", `{"file_path":".vscode/tasks.json","content":"x"}`, nil},
		{"write", "scriptrun.toml", `{"file_path":"scriptrun.toml","content":"x"}`, nil},
		{"edit", ".git/config", `{"file_path":".git/config","old_string":"bare","new_string":"x"}`, nil},
		{"delete", ".git/**", `{"path":".git"}`, nil},
		{"write", "", `{"file_path":".vscode/tasks.json","content":"x"}`, []string{".vscode"}},
		{"write", "", `{"file_path":"sub/.vscode/tasks.json","content":"x"}`, []string{".vscode"}},
		{"write", "**", `{"file_path":".git/config","content":"x"}`, []string{".git/config"}},
		{"write", "", `{"file_path":".git/hooks/pre-commit","content":"x"}`, []string{".git"}},
		{"delete", "", `{"path":".git"}`, []string{".git"}},
		{"write", "", `{"file_path":"my/tools/x.js","content":"x"}`, []string{"my/tools"}},
		{"write", "", `{"file_path":".gitignore","content":"x"}`, nil},
		{"write", "**", `{"file_path":"vscode/.env","content":"x"}`, nil},
		{"delete", "", `{"path":"payload"}`, nil},
		{"read", "", `{"file_path":".git/config"}`, nil},
		{"write", "bare/config", `{"file_path":"bare/config","content":"x"}`, nil},
		{"write", "", `{"file_path":"bare/config","content":"x"}`, []string{".git/config"}},
		{"write", "", `{"file_path":"near/HEAD","content":"x"}`, []string{".git"}},
		{"write", "", `{"file_path":"bare/tree/config/f","content":"x"}`, nil},
		{"write", "", `{"file_path":"near/config","content":"x"}`, nil},
		{"write", "", `{"file_path":"half/hooks/x","content":"x"}`, nil},
		{"write", "", `{"file_path":"sub/HEAD","content":"x"}`, nil},
		{"move", "", `{"from":"sub/x","to":"sub/.hg"}`, []string{".hg/hgrc"}},
		{"move", "", `{"from":"sub/no","to":"sub/.hg"}`, nil},
		{"move", "", `{"from":"payload/f","to":"sub/.config"}`, nil},
		{"move", "", `{"from":"sub/x","to":"sub/hg"}`, nil},
		{"move", "", `{"from":"far","to":"sub/far"}`, nil},
		{"write", "hk/**", `{"file_path":"hk/post-commit","content":"x"}`, nil},
		{"write", "", `{"file_path":"hk/post-commit","content":"x"}`, []string{".git/hooks"}},
		{"write", "", `{"file_path":"conf/git","content":"x"}`, []string{".git/config"}},
		{"write", "", `{"file_path":"conf/other","content":"x"}`, nil},
		{"write", "", `{"file_path":"nowhere/at/none","content":"x"}`, nil},
		{"write", "", `{"file_path":"ways/v2/helix","content":"x"}`, nil},
	} {
		dir := newProject(t)
		protected := protect.Paths{Further: []string{filepath.Join(dir, "my", "tools")}, Except: c.except}
		if err := protected.Check(dir); err != nil {
			t.Errorf("%q: %v", c.except, err)
		}
		if result, err := call(t, dir, protected, c.tool, c.args, hostapi.Rule{Tool: c.tool, Pattern: c.pattern}); err != nil || result.Outcome != hostapi.OutcomeOK {
			t.Errorf("%s(%s) %s, except %q: %+v, %v", c.tool, c.pattern, c.args, c.except, result, err)
		}
	}
	for _, except := range []string{"src", ".git/objects", "*", "", ".vscode/tasks.json"} {
		if err := (protect.Paths{Except: []string{except}}).Check("/w"); err == nil {
			t.Errorf("%q is taken for something that is protected", except)
		}
	}
}

// TestTwoWritersMakeNoRepository: of calls that were let through one by one, the one
// that would make a folder a repository, or what lies in it protected, is refused when
// its turn comes.
func TestTwoWritersMakeNoRepository(t *testing.T) {
	t.Parallel()
	for _, last := range []struct{ tool, args string }{
		{"write", `{"file_path":"p/refs/y","content":"x"}`},
		{"edit", `{"file_path":"p/config","old_string":"bare","new_string":"evil"}`},
		{"move", `{"from":"payload/f","to":"p/refs/f"}`},
		{"delete", `{"path":"p/config"}`},
		{"move", `{"from":"q","to":"sub/.hg"}`},
	} {
		dir := newProject(t)
		put(t, dir, map[string]string{"p/objects/x": "", "p/refs/x": "", "p/config": "bare", "q/x": ""})
		w, err := files.OpenProtecting(dir, protect.Paths{})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		registry, err := hostapi.NewRegistry(w.Tools()...)
		if err != nil {
			t.Fatal(err)
		}
		tool, _ := registry.Lookup(last.tool)
		call := hostapi.Call{Tool: last.tool, Args: json.RawMessage(last.args)}
		if call.Plan, err = tool.(hostapi.Scoper).Plan(t.Context(), call); err != nil {
			t.Fatal(err)
		}
		put(t, dir, map[string]string{"p/HEAD": "ref: refs/heads/x", "q/hgrc": "evil"})
		before := content(t, dir)
		if result, err := tool.Invoke(t.Context(), call); err == nil && result.Outcome == hostapi.OutcomeOK || content(t, dir) != before {
			t.Errorf("%s %s: %+v, %v", last.tool, last.args, result, err)
		}
	}
}
