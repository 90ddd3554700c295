//go:build unix

package presets_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/internal/presets"
	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// put writes a file that can be run, and makes its folder.
func put(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	return path
}

func linked(t *testing.T, target, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}

// TestPlantedProgramsAreNotRun: whatever a command put where it may write, and
// however the operator's PATH leads there, no tool runs it.
func TestPlantedProgramsAreNotRun(t *testing.T) {
	t.Parallel()
	const npm = "#!/usr/bin/env interpreter\n" + `{"registry": "https://own.corp/"}` + "\n"
	for _, c := range []struct {
		name  string
		path  string // {w} is where commands may write, {o} the operator's
		lay   func(w, o string)
		fails string // empty where the operator's own answers
	}{
		{"a folder before it", "{w}/bin:{o}/bin:/usr/bin:/bin", nil, ""},
		{"by a link", "{o}/link:{o}/bin:/usr/bin:/bin", func(w, o string) { linked(t, w+"/bin", o+"/link") }, ""},
		{"by a link and back", "{o}/link:{o}/bin:/usr/bin:/bin", func(w, o string) {
			linked(t, w+"/away", o+"/link")
			linked(t, o+"/other", w+"/away")
			put(t, o+"/other/interpreter", "#!/bin/sh\ntouch "+w+"/ran\n")
		}, ""},
		{"the folder that a command is in", "bin:.::{o}/bin:/usr/bin:/bin", nil, ""},
		{"over a parent", "{o}/deep/../bin:{w}/bin/../bin:/usr/bin:/bin", nil, ""},
		{"an interpreter that is a link", "{o}/first:{o}/bin:/usr/bin:/bin", func(w, o string) { linked(t, w+"/bin/interpreter", o+"/first/interpreter") }, "first/interpreter lies where commands may write"},
		{"an interpreter by its path", "{o}/bin:/usr/bin:/bin", func(w, o string) {
			put(t, o+"/bin/npm", "#!"+w+"/bin/interpreter\n")
		}, "which interprets it, lies where commands may write"},
		{"nowhere else", "{w}/bin:/nowhere", func(w, o string) { put(t, w+"/bin/npm", "#!/bin/sh\ntouch "+w+"/ran\n") }, "only where commands may write"},
	} {
		w, o := t.TempDir(), t.TempDir()
		put(t, w+"/bin/interpreter", "#!/bin/sh\ntouch "+w+"/ran\nexec tail -n 1 \"$1\"\n")
		if c.fails == "" || !strings.HasPrefix(c.path, "{w}") {
			put(t, o+"/bin/npm", npm)
			put(t, o+"/bin/interpreter", "#!/bin/sh\nexec tail -n 1 \"$1\"\n")
		}
		if c.name == "nowhere else" {
			if err := os.RemoveAll(o); err != nil {
				t.Fatal(err)
			}
		}
		if c.lay != nil {
			c.lay(w, o)
		}
		path := strings.NewReplacer("{w}", w, "{o}", o).Replace(c.path)
		found, err := presets.Machine{Path: path, Avoid: sandbox.NewPlaces(w)}.Find(t.Context(), "npm")
		switch {
		case c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)):
			t.Errorf("%s: %+v, %v", c.name, found, err)
		case c.fails == "" && (err != nil || !slices.Equal(found.Hosts, []string{"own.corp"})):
			t.Errorf("%s: %+v, %v", c.name, found, err)
		}
		if _, err := os.Stat(w + "/ran"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: what was planted ran", c.name)
		}
	}
}

// TestToolsHaveNoVariablesOfOthers: a tool is told what it is to fetch from, and
// nothing that has it run or read something else.
func TestToolsHaveNoVariablesOfOthers(t *testing.T) {
	t.Parallel()
	dir, w := t.TempDir(), t.TempDir()
	put(t, dir+"/go", "#!/bin/sh\nenv > "+dir+"/env\necho '{\"GOPROXY\": \"https://own.corp\", \"GOSUMDB\": \"off\"}'\n")
	m := presets.Machine{Path: dir + ":/usr/bin:/bin", Avoid: sandbox.NewPlaces(w), Env: []string{
		"HOME=" + w, "HOME=" + dir, "GOPROXY=https://own.corp", "LC_ALL=C", "GOENV=off", "XDG_CONFIG_HOME=" + dir + "/none", "TMPDIR=" + dir,
		"NODE_OPTIONS=--require=x", "LD_PRELOAD=x", "BASH_ENV=x", "PYTHONPATH=x", "GOFLAGS=-x", "GOROOT=x", "CARGO_HOME=" + w, "PYENV_ROOT=" + w, "GIT_SSH_COMMAND=x", "SECRET=x",
	}}
	if _, err := m.Find(t.Context(), "go"); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(dir + "/env")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(string(text)) {
		if name, _, _ := strings.Cut(line, "="); name != "PWD" && name != "OLDPWD" && name != "SHLVL" && name != "_" { // the shell's own
			got = append(got, strings.TrimSpace(line))
		}
	}
	slices.Sort(got)
	want := []string{"GOENV=off", "GOFLAGS=", "GOPROXY=https://own.corp", "GOTOOLCHAIN=local", "GOWORK=off", "HOME=" + dir, "LC_ALL=C", "PATH=" + m.Path, "TMPDIR=" + dir, "XDG_CONFIG_HOME=" + dir + "/none"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestCommandsDoNotConfigureTools: what says which hosts there are is never what
// commands may write.
func TestCommandsDoNotConfigureTools(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ preset, program, variable, link string }{
		{"go", "go", "HOME={w}", ""},
		{"go", "go", "GOENV={w}/env", ""},
		{"go", "go", "XDG_CONFIG_HOME={o}/../{w}", ""},
		{"go", "go", "XDG_CONFIG_HOME={o}/x", "{o}/x/go/env"},
		{"go", "go", "", "{o}/.config"},
		{"npm", "npm", "", "{o}/.npmrc"},
		{"npm", "npm", "NPM_CONFIG_USERCONFIG={w}/new", ""},
		{"npm", "npm", "npm_config_globalconfig={w}/c", ""},
		{"npm", "npm", "npm_config_prefix={w}", ""},
		{"pip", "pip3", "PIP_CONFIG_FILE={w}/c", ""},
		{"pip", "pip3", "XDG_CONFIG_DIRS=/etc/xdg:{w}/c", ""},
		{"pip", "pip3", "", "{o}/.config/pip"},
		{"cargo", "cargo", "CARGO_HOME={w}/c", ""},
		{"cargo", "cargo", "CARGO_HOME={o}/c", "{o}/c/config.toml"},
		{"cargo", "cargo", "RUSTUP_TOOLCHAIN={w}/c", ""},
		{"cargo", "cargo", "", "{o}/.cargo"},
	} {
		w, o := t.TempDir(), t.TempDir()
		ran := filepath.Join(t.TempDir(), "ran")
		m := tool(t, c.program, "touch "+ran)
		here := strings.NewReplacer("{w}", w, "{o}", o)
		m.Avoid, m.Env = sandbox.NewPlaces(w), []string{"HOME=" + o, here.Replace(c.variable)}
		if c.link != "" {
			linked(t, w, here.Replace(c.link))
		}
		var writable *presets.WritableError
		if found, err := m.Find(t.Context(), c.preset); !errors.As(err, &writable) || !strings.Contains(err.Error(), "choose the hosts") {
			t.Errorf("%+v: %+v, %v", c, found, err)
		}
		if _, err := os.Stat(ran); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%+v: the tool ran", c)
		}
	}
}
