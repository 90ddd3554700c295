package shell_test

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

// TestCommandsAndFileToolsKeepTheSameOfAHome: what lies in a workspace and runs outside of it because a
// variable of the operator's names a home around it, or a name of that home leads there. Whether something is
// there already or not, no command leaves other text in it, and no file tool writes it; what lies beside it, both write.
func TestCommandsAndFileToolsKeepTheSameOfAHome(t *testing.T) {
	t.Parallel()
	if !keeps(t, "modes") {
		return
	}
	for name, c := range map[string]struct{ environment, before, workspace, path string }{
		"a link to a file":                {"HOME=h", "ln -s dot/x h/.gitconfig; touch h/dot/x", "h/dot", "x"},
		"a link to a file to be made":     {"HOME=h", "ln -s dot/x h/.zshrc", "h/dot", "x"},
		"a link to a folder":              {"HOME=h", "ln -s ../dot/n h/.config/nvim; mkdir h/dot/n", "h/dot", "n/init.lua"},
		"a link to a folder to be made":   {"HOME=h", "ln -s ../dot/n h/.config/nvim", "h/dot", "n/init.lua"},
		"a folder of links":               {"HOME=h", "rmdir h/.config; ln -s dot/conf h/.config; mkdir -p h/dot/conf/git; touch h/dot/conf/git/config", "h/dot", "conf/git/config"},
		"a link in a folder":              {"HOME=h", "mkdir h/.config/git; ln -s ../../dot/x h/.config/git/config; touch h/dot/x", "h/dot", "x"},
		"a link outside the home":         {"HOME=h", "mkdir w; ln -s ../w/x h/.bashrc; touch w/x", "w", "x"},
		"a home by a link":                {"HOME=l", "ln -s h l; ln -s dot/x h/.bashrc; touch h/dot/x", "h/dot", "x"},
		"a part of the home":              {"HOME=h", "mkdir h/.config/git; touch h/.config/git/config", "h/.config", "git/config"},
		"a folder of a variable":          {"XDG_CONFIG_HOME=w/c", "mkdir -p w/c/git; touch w/c/git/config", "w", "c/git/config"},
		"a link in that of a variable":    {"XDG_CONFIG_HOME=c", "mkdir -p c w/n; ln -s ../w/n c/nvim", "w", "n/init.lua"},
		"a link in that of ZDOTDIR":       {"ZDOTDIR=z", "mkdir z w; ln -s ../w/x z/.zshrc; touch w/x", "w", "x"},
		"the file of a variable":          {"GIT_CONFIG_GLOBAL=w/x", "mkdir w; touch w/x", "w", "x"},
		"a name that begins so":           {"HOME=h", "ln -s dot/x h/.zcompdump-vm-5.9; touch h/dot/x", "h/dot", "x"},
		"the same, of ZDOTDIR":            {"ZDOTDIR=z", "mkdir z w; ln -s ../w/x z/.zcompdump; touch w/x", "w", "x"},
		"the same, to be made":            {"HOME=h", "ln -s dot/x h/.zcompdump-vm-5.9", "h/dot", "x"},
		"names that begin so":             {"HOME=h", "ln -s dot/c h/.cache; mkdir h/dot/c; touch h/dot/c/p10k-dump-root.zsh", "h/dot", "c/p10k-dump-root.zsh"},
		"the same, none yet":              {"HOME=h", "ln -s dot/c h/.cache; mkdir h/dot/c", "h/dot", "c/p10k-instant-prompt-root.zsh"},
		"the same, in no folder yet":      {"HOME=h", "ln -s dot/c h/.cache", "h/dot", "c/p10k-instant-prompt-root.zsh"},
		"the same, with the beginning":    {"HOME=h", "ln -s dot/c h/.cache; mkdir h/dot/c; touch h/dot/c/p10k-", "h/dot", "c/p10k-dump-root.zsh"},
		"the same, through two links":     {"HOME=h", "mkdir h/dot/d; ln -s d h/dot/c; ln -s dot/c h/.cache", "h/dot", "d/p10k-dump-root.zsh"},
		"a program of PATH":               {"HOME=h PATH=h/go/bin", "mkdir -p h/go/bin; touch h/go/bin/x", "h", "go/bin/x"},
		"an older name in that":           {"HOME=h", "ln -s dot/x h/.lldbinit; touch h/dot/x", "h/dot", "./x"},
		"a folder above what leads there": {"HOME=h", "mkdir -p h/dot/a; ln -s ../dot/a/n h/.config/nvim", "h/dot", "a/n/init.lua"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool := newTool(t)
			top, err := filepath.EvalSymlinks(tool.Dir)
			if err != nil {
				t.Fatal(err)
			}
			command(t, top, "mkdir -p h/dot h/.config; "+c.before)
			environment := strings.Fields(strings.ReplaceAll(c.environment, "=", "="+top+"/"))
			tool.Dir = filepath.Join(top, c.workspace)
			tool.Sandbox.Protected = tool.Sandbox.Protected.InEnvironment(environment, tool.Dir)
			at := filepath.Join(tool.Dir, c.path)
			text := func() string { raw, err := os.ReadFile(at); return fmt.Sprint(string(raw), err == nil) }
			before := text()
			output(t, tool, map[string]any{"command": "mkdir -p $(dirname " + c.path + "); echo evil > " + c.path + "; echo x > beside"}, false)
			if now := text(); now != before {
				t.Errorf("a command left %q; before %q", now, before)
			}
			if got := fileTool(t, tool.Dir, tool.Sandbox.Protected, "write", map[string]any{"path": c.path, "content": "evil"}); !strings.Contains(got, "is protected") || text() != before {
				t.Errorf("write: %q", got)
			}
			if got := fileTool(t, tool.Dir, tool.Sandbox.Protected, "edit", map[string]any{"path": "beside", "old_string": "x", "new_string": "y"}); strings.Contains(got, "protected") {
				t.Errorf("what lies beside: %q", got)
			}
			if got := fileTool(t, tool.Dir, tool.Sandbox.Protected, "move", map[string]any{"from": "beside", "to": c.path, "overwrite": true}); !strings.Contains(got, "is protected") || text() != before {
				t.Errorf("move: %q", got)
			}
		})
	}
}

// TestAWorkspaceThatANameOfAHomeLeadsToIsWritten: by both; somebody works there on what the name stands for.
func TestAWorkspaceThatANameOfAHomeLeadsToIsWritten(t *testing.T) {
	t.Parallel()
	if !keeps(t, "modes") {
		return
	}
	for _, c := range []struct{ before, workspace string }{
		{"mkdir -p h/.config/nvim", "h/.config/nvim"},
		{"mkdir -p h/.config/nvim/lua/mine", "h/.config/nvim/lua/mine"},
		{"mkdir -p n h/.config; ln -s ../../n h/.config/nvim", "n"},
		{"mkdir -p h/.oh-my-zsh/custom/mine", "h/.oh-my-zsh/custom/mine"},
	} {
		tool := newTool(t)
		top, err := filepath.EvalSymlinks(tool.Dir)
		if err != nil {
			t.Fatal(err)
		}
		command(t, top, c.before)
		tool.Dir = filepath.Join(top, c.workspace)
		tool.Sandbox.Protected = tool.Sandbox.Protected.InEnvironment([]string{"HOME=" + top + "/h", "XDG_CONFIG_HOME=" + top + "/h/.config"})
		if got := output(t, tool, map[string]any{"command": "echo x > init.lua"}, false); got.ExitCode != 0 {
			t.Errorf("%s: %+v", c.workspace, got)
		}
		if got := fileTool(t, tool.Dir, tool.Sandbox.Protected, "write", map[string]any{"path": "init.lua", "content": "y"}); !strings.HasPrefix(got, "wrote") {
			t.Errorf("%s: %s", c.workspace, got)
		}
		if raw, _ := os.ReadFile(filepath.Join(tool.Dir, "init.lua")); string(raw) != "y" {
			t.Errorf("%s: %q", c.workspace, raw)
		}
	}
}

// fileTool is what a tool of the workspace says to whoever may call it with any path.
func fileTool(t *testing.T, dir string, protected protect.Paths, tool string, args map[string]any) string {
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
	gate := hostapi.NewGate(t.Context(), hostapi.GateConfig{Registry: registry, Policies: []hostapi.Policy{hostapi.AllowList{{Tool: tool, Pattern: "**"}}}})
	defer gate.Close(0)
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	result, err := gate.Invoke(t.Context(), hostapi.Call{Tool: tool, Args: raw})
	if err != nil {
		return err.Error()
	}
	return result.Output
}
