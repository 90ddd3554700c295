package shell_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// TestSettingsInForceAreNotWritten: wherever they lie in what commands may write, under each
// name, in each profile, and also where they are not there.
func TestSettingsInForceAreNotWritten(t *testing.T) {
	t.Parallel()
	if !keeps(t, "modes") {
		return
	}
	for _, profile := range []shell.Profile{shell.ProfileWorkspace, shell.ProfileReadOnly} {
		for name, c := range map[string]struct{ before, write, line, file, not string }{
			"written":            {"", ".config", "echo evil > H/.config/scriptrun/config.toml", ".config/scriptrun/config.toml", "evil"},
			"removed":            {"", ".config", "rm -rf H/.config/scriptrun; mkdir -p H/.config/scriptrun; echo evil > H/.config/scriptrun/config.toml", ".config/scriptrun/config.toml", "evil"},
			"with its folder":    {"", ".config", "mv H/.config/scriptrun H/.config/s; mkdir H/.config/scriptrun; echo evil > H/.config/scriptrun/config.toml", ".config/scriptrun/config.toml", "evil"},
			"below a home":       {"", ".", "echo evil > H/.config/scriptrun/config.toml; mv H/.config H/c; mkdir -p H/.config/scriptrun; echo evil > H/.config/scriptrun/config.toml", ".config/scriptrun/config.toml", "evil"},
			"the folder itself":  {"", ".config/scriptrun", "echo evil > H/.config/scriptrun/config.toml", ".config/scriptrun/config.toml", "evil"},
			"the file itself":    {"", ".config/scriptrun/config.toml", "echo evil > H/.config/scriptrun/config.toml", ".config/scriptrun/config.toml", "evil"},
			"a folder in it":     {"mkdir H/state/trust/x", "state/trust/x", "echo evil > H/state/trust/x/r.json", "state/trust/x/r.json", "evil"},
			"through a link":     {"mv H/.config/scriptrun H/dots; ln -s ../dots H/.config/scriptrun", "dots", "echo evil > H/dots/config.toml", "dots/config.toml", "evil"},
			"the link on it":     {"mv H/.config/scriptrun H/dots; ln -s ../dots H/.config/scriptrun", ".config", "rm H/.config/scriptrun; mkdir H/.config/scriptrun; echo evil > H/.config/scriptrun/config.toml", ".config/scriptrun/config.toml", "evil"},
			"what is trusted":    {"", "state", "echo evil > H/state/trust/r.json", "state/trust/r.json", "evil"},
			"trusted, not there": {"rm -r H/state/trust", "state", "mkdir -p H/state/trust; echo evil > H/state/trust/r.json", "state/trust/r.json", "evil"},
		} {
			if profile == shell.ProfileReadOnly && strings.Contains(name, "not there") {
				continue // whoever starts the host makes the folders
			}
			t.Run(name+" "+string(profile), func(t *testing.T) {
				t.Parallel()
				home, err := filepath.EvalSymlinks(t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				tool := newTool(t)
				command(t, home, strings.ReplaceAll("mkdir -p .config/scriptrun state/trust; echo mine > .config/scriptrun/config.toml; "+c.before, "H", home))
				tool.Env = append(tool.Env, "HOME="+home)
				tool.Sandbox.Profile, tool.Sandbox.Write = profile, []string{filepath.Join(home, c.write)}
				tool.Sandbox.Protected.Settings = []string{filepath.Join(home, ".config/scriptrun"), filepath.Join(home, ".config/scriptrun/config.toml"), filepath.Join(home, "state/trust")}
				result, _ := run(t, tool, strings.ReplaceAll(c.line, "H", home))
				if text, _ := os.ReadFile(filepath.Join(home, c.file)); strings.Contains(string(text), c.not) {
					t.Errorf("it was written: %q\n%s", result.Notes, result.Output)
				}
				if len(result.Notes) == 0 || strings.Contains(strings.Join(result.Notes, ""), "scriptrun\"]") {
					t.Errorf("%q\n%s", result.Notes, result.Output)
				}
			})
		}
	}
}

// TestSettingsInForceAreNotWrittenByAnOrdinaryUser tries the same as a user without rights.
func TestSettingsInForceAreNotWrittenByAnOrdinaryUser(t *testing.T) {
	t.Parallel()
	asOrdinaryUser(t, "TestSettingsInForceAreNotWritten")
}

// TestNamesOfAHomeCountInAPartOfIt: a folder that commands may write may be a part of a
// name, or hold the home.
func TestNamesOfAHomeCountInAPartOfIt(t *testing.T) {
	t.Parallel()
	if !keeps(t, "modes") {
		return
	}
	for write, lines := range map[string]map[string]string{
		"u/.config": {"u/.config/git/config": "", "u/.config/autostart/x": "mkdir -p", "u/.config/systemd/user/x.service": "", "u/.config/fish/conf.d/x": "mkdir -p", "u/.config/environment.d/x": "mkdir -p", "u/.config/nvim/init.lua": "mkdir -p"},
		"u/.local":  {"u/.local/bin/x": "", "u/.local/share/systemd/user/x": "mkdir -p"},
		".":         {"u/.bashrc": "", "u/.config/git/config": "", "u/.vim/plugin/x": "mkdir -p", "u/.emacs.d/init.el": "mkdir -p"},
	} {
		for path, before := range lines {
			t.Run(path+" in "+write, func(t *testing.T) {
				t.Parallel()
				base, err := filepath.EvalSymlinks(t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				tool := newTool(t)
				command(t, base, "mkdir -p u/.config/git u/.config/systemd/user u/.local/bin; echo mine > u/.config/git/config")
				tool.Env = append(tool.Env, "HOME="+filepath.Join(base, "u"))
				tool.Sandbox.Write = []string{filepath.Join(base, write)}
				line := "echo evil >> " + filepath.Join(base, path)
				if before != "" {
					line = "mkdir -p " + filepath.Dir(filepath.Join(base, path)) + "; " + line
				}
				result, _ := run(t, tool, line)
				if text, _ := os.ReadFile(filepath.Join(base, path)); strings.Contains(string(text), "evil") {
					t.Errorf("it was written: %q\n%s", result.Notes, result.Output)
				}
				if len(result.Notes) == 0 || !strings.Contains(result.Notes[0], "unprotect = [") {
					t.Errorf("%q\n%s", result.Notes, result.Output)
				}
				result, _ = run(t, tool, "echo x > "+filepath.Join(base, write, "other"))
				if len(result.Notes) > 0 {
					t.Errorf("what else lies there: %q\n%s", result.Notes, result.Output)
				}
			})
		}
	}
}
