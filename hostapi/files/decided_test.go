package files_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
)

// TestWhatWasDecidedIsWhatIsOpened: a call is planned, something else takes the
// place of its path or of a folder above, and the call fails without touching that.
func TestWhatWasDecidedIsWhatIsOpened(t *testing.T) {
	t.Parallel()
	calls := map[string]string{
		"read": `{"file_path":"src/d/f"}`, "write": `{"file_path":"src/d/f","content":"x"}`, "edit": `{"file_path":"src/d/f","old_string":"inside","new_string":"x"}`,
		"ls": `{"path":"src/d/f"}`, "grep": `{"path":"src/d/f","pattern":"."}`, "glob": `{"path":"src/d/f","pattern":"**"}`, "search": `{"mode":"bm25","path":"src/d/f","query":"inside stranger"}`,
		"json": `{"file_path":"src/d/f"}`, "yaml": `{"file_path":"src/d/f"}`, "delete": `{"path":"src/d/f"}`, "move": `{"from":"src/d/f","to":"src/d/g"}`,
	}
	swaps := map[string]struct {
		path, to string // what becomes a link, and where it leads
		not      string // tools that act on a link itself, and so on this one
	}{
		"the file":         {"src/d/f", "../../other/d/f", "delete move"},
		"its folder":       {"src/d", "../other/d", ""},
		"a folder above":   {"src", "other", ""},
		"to a folder":      {"src/d/f", "../../other/d", "delete move"},
		"to the workspace": {"src/d/f", "../..", "delete move"},
		"to nothing":       {"src/d/f", "nothing", "delete move"},
	}
	for name, swap := range swaps {
		for tool, args := range calls {
			t.Run(name+" "+tool, func(t *testing.T) {
				t.Parallel()
				p := workspace(t, map[string]string{"src/d/f": "inside", "other/d/f": stranger, "other/d/" + stranger: ""})
				call := hostapi.Call{Tool: tool, Args: json.RawMessage(args)}
				plan, err := p.tools[tool].(hostapi.Scoper).Plan(t.Context(), call)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.Rename(filepath.Join(p.dir, swap.path), filepath.Join(p.dir, "away")); err != nil {
					t.Fatal(err)
				}
				link(t, p.dir, swap.to, swap.path)
				call.Plan = plan
				result, err := p.tools[tool].Invoke(t.Context(), call)
				if strings.Contains(swap.not, tool) {
					if err != nil || result.ExitCode != 0 {
						t.Errorf("it did not act on the link: %+v, %v", result, err)
					}
				} else if err != nil || result.ExitCode == 0 || !strings.Contains(result.Output, "changed while it was used; try again") {
					t.Errorf("%+v, %v", result, err)
				}
				if strings.Contains(result.Output, stranger) || p.text(t, "other/d/f") != stranger {
					t.Errorf("the call went elsewhere: %+v", result)
				}
				if names, err := os.ReadDir(filepath.Join(p.dir, "other", "d")); err != nil || len(names) != 2 {
					t.Errorf("something was made or taken elsewhere: %v, %v", names, err)
				}
			})
		}
	}
}

// TestARuleForAFileGrantsNoFolderInItsPlace: a pattern that names a file grants
// that, also when a folder stands there by the time of the call.
func TestARuleForAFileGrantsNoFolderInItsPlace(t *testing.T) {
	t.Parallel()
	for tool, args := range map[string]string{
		"grep": `{"path":"f","pattern":"."}`, "glob": `{"path":"f","pattern":"**"}`, "search": `{"mode":"bm25","path":"f","query":"inside"}`,
		"delete": `{"path":"f"}`, "move": `{"from":"f","to":"g"}`,
	} {
		p := workspace(t, map[string]string{"f": "inside", "d/x": "inside"})
		call := hostapi.Call{Tool: tool, Args: json.RawMessage(args)}
		plan, err := p.tools[tool].(hostapi.Scoper).Plan(t.Context(), call)
		if err != nil {
			t.Fatal(err)
		}
		if !plan.Subjects()[0].Match("f") {
			t.Errorf("%s: the file does not match its name", tool)
		}
		if err := os.Remove(filepath.Join(p.dir, "f")); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(p.dir, "d"), filepath.Join(p.dir, "f")); err != nil {
			t.Fatal(err)
		}
		call.Plan = plan
		result, err := p.tools[tool].Invoke(t.Context(), call)
		if err != nil || result.ExitCode == 0 || !strings.Contains(result.Output, "changed while") || p.text(t, "f/x") != "inside" {
			t.Errorf("%s: %+v, %v", tool, result, err)
		}
	}
}

// TestDeleteAndMoveActOnLinksThemselves: what a link leads to is not theirs, and
// rules look at the path of the link.
func TestDeleteAndMoveActOnLinksThemselves(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ target, from string }{
		"to a folder": {"rel/42", "current"}, "to a file": {"rel/42/x", "current"}, "to nothing": {"none", "current"}, "to outside": {"../secret", "current"},
		"in a folder that is a link": {"../rel/42", "also/current"},
	} {
		for tool, args := range map[string]map[string]any{"delete": {"path": c.from}, "move": {"from": c.from, "to": "moved"}} {
			t.Run(name+" "+tool, func(t *testing.T) {
				t.Parallel()
				p := workspace(t, map[string]string{"rel/42/x": "kept", "real/y": ""})
				link(t, p.dir, "real", "also")
				link(t, p.dir, c.target, c.from)
				r := p.call(t, tool, args)
				if r.ExitCode != 0 {
					t.Fatal(r.Output)
				}
				at := filepath.Join(p.dir, "moved")
				if tool == "delete" {
					var data struct{ Trashed string }
					if err := json.Unmarshal(r.Data, &data); err != nil {
						t.Fatal(err)
					}
					at = filepath.Join(p.dir, data.Trashed)
				}
				if target, err := os.Readlink(at); err != nil || target != c.target {
					t.Errorf("the link is %q now, %v", target, err)
				}
				if _, err := os.Lstat(filepath.Join(p.dir, c.from)); err == nil {
					t.Error("the link is still there")
				}
				if p.text(t, "rel/42/x") != "kept" {
					t.Error("what it led to is gone")
				}
			})
		}
	}
	p := workspace(t, map[string]string{"rel/42/x": "kept", "free/a": "", "there": "kept"})
	link(t, p.dir, "rel/42", "current")
	link(t, p.dir, "../rel/42", "free/current")
	for _, c := range []struct {
		tool, args, pattern string
		matches             bool
	}{
		{"delete", `{"path":"current"}`, "current", true},
		{"delete", `{"path":"current"}`, "rel/**", false},
		{"delete", `{"path":"free/current"}`, "free/**", true},
		{"delete", `{"path":"free/current/x"}`, "free/**", false},
		{"delete", `{"path":"free/current/x"}`, "rel/**", true},
		{"move", `{"from":"free/current","to":"free/current/y"}`, "free/**", false},
	} {
		plan, err := p.tools[c.tool].(hostapi.Scoper).Plan(t.Context(), hostapi.Call{Tool: c.tool, Args: json.RawMessage(c.args)})
		if err != nil {
			t.Fatal(err)
		}
		all := true
		for _, subject := range plan.Subjects() {
			all = all && subject.Match(c.pattern)
		}
		if all != c.matches {
			t.Errorf("%s %s matches %s: %v", c.tool, c.args, c.pattern, all)
		}
	}
	if r := p.call(t, "move", `{"from":"there","to":"current","overwrite":true}`); r.ExitCode == 0 || p.text(t, "there") != "kept" {
		t.Errorf("a link was replaced: %+v", r)
	}
}

// TestAWorkspaceThatIsALinkIsResolvedOnce: file tools stay where they were opened.
func TestAWorkspaceThatIsALinkIsResolvedOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, map[string]string{"one/f": "one", "two/f": "two"})
	link(t, dir, "one", "ws")
	w := openWorkspace(t, filepath.Join(dir, "ws"))
	if err := os.Remove(filepath.Join(dir, "ws")); err != nil {
		t.Fatal(err)
	}
	link(t, dir, "two", "ws")
	if r := invoke(t, w, "read", map[string]any{"file_path": "f"}); r.Text == nil || *r.Text != "one" {
		t.Errorf("%+v", r)
	}
	if r := invoke(t, w, "write", map[string]any{"file_path": "f", "content": "new"}); r.ExitCode != 0 {
		t.Error(r.Output)
	}
	for name, want := range map[string]string{"one/f": "new", "two/f": "two"} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(text) != want {
			t.Errorf("%s is %q, %v", name, text, err)
		}
	}
}
