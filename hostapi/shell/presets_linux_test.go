package shell_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// presetTool is one with a list that asks npm, which starts an interpreter by its
// name. PATH begins with these folders, before those of npm.
func presetTool(t *testing.T, npm string, first ...string) *shell.Tool {
	t.Helper()
	tool, own := newTool(t), t.TempDir()
	tool.Sandbox.Network, tool.Sandbox.Hosts = sandbox.NetworkProxied, []string{"preset:npm"}
	program(t, filepath.Join(own, "npm"), "#!/usr/bin/env interpreter\n")
	program(t, filepath.Join(own, "interpreter"), "#!/bin/sh\n"+npm+"\n")
	tool.Env = append(tool.Env, "PATH="+strings.Join(append(first, own, os.Getenv("PATH")), ":"))
	return tool
}

const saysOwn = `echo '{"registry": "https://own.test/"}'`

func program(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
}

// TestToolchainsOfGo: go fetches others where its preset is on the list and the operator's
// own go does; what an environment sets counts over that.
func TestToolchainsOfGo(t *testing.T) {
	t.Parallel()
	if !keeps(t, "network") {
		return
	}
	for _, c := range []struct {
		network         sandbox.Network
		host, own, want string
		env             map[string]string
	}{
		{sandbox.NetworkNone, "", "auto", "local", nil},
		{sandbox.NetworkNone, "", "auto", "auto", map[string]string{"GOTOOLCHAIN": "auto"}},
		{sandbox.NetworkProxied, "api.test", "auto", "local", nil},
		{sandbox.NetworkProxied, "preset:go", "auto", "auto", nil},
		{sandbox.NetworkProxied, "preset:go", "local", "local", nil},
		{sandbox.NetworkProxied, "preset:go", "local", "path", map[string]string{"GOTOOLCHAIN": "path"}},
	} {
		if set, ok := os.LookupEnv("GOTOOLCHAIN"); ok && c.want == "auto" && c.env == nil && !strings.HasSuffix(set, "auto") {
			c.want = "local" // whoever runs the tests has it so
		}
		tool, own := newTool(t), t.TempDir()
		tool.Sandbox.Network = c.network
		if c.host != "" {
			tool.Sandbox.Hosts = []string{c.host}
		}
		program(t, filepath.Join(own, "go.env"), "GOTOOLCHAIN="+c.own+"\n")
		program(t, filepath.Join(own, "go"), `#!/bin/sh
echo '{"GOPROXY": "https://own.test", "GOSUMDB": "off", "GOROOT": "`+own+`"}'
`)
		tool.Env = append(tool.Env, "PATH="+own+":"+os.Getenv("PATH"))
		tool.Environments, tool.Default = []shell.Environment{{Name: "x", Env: c.env}}, "x"
		if result, got := run(t, tool, "echo $GOTOOLCHAIN"); got.Stdout != c.want+"\n" {
			t.Errorf("%+v: %q %s", c, got.Stdout, result.Output)
		}
	}
}

// TestPresetsRunNothingThatCommandsPlanted: what lies where commands may write is
// not run outside the sandbox to find out hosts, though it comes first on PATH.
func TestPresetsRunNothingThatCommandsPlanted(t *testing.T) {
	t.Parallel()
	if !keeps(t, "network") {
		return
	}
	for _, name := range []string{"the workspace", "a folder to write in", "the homes"} {
		place := t.TempDir()
		bin := filepath.Join(place, "w", "bin")
		tool := presetTool(t, saysOwn, bin)
		switch name {
		case "the workspace":
			tool.Dir = place
		case "a folder to write in":
			tool.Sandbox.Write = []string{place}
		case "the homes":
			tool.Sandbox.Homes = place
		}
		ran := filepath.Join(place, "ran")
		program(t, filepath.Join(bin, "interpreter"), "#!/bin/sh\necho >"+ran+"\n"+saysOwn+"\n")
		if result, got := run(t, tool, "echo hello"); result.Outcome != hostapi.OutcomeOK || got.Stdout != "hello\n" {
			t.Errorf("%s: %+v", name, result)
		}
		if _, err := os.Stat(ran); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: what was planted ran", name)
		}
	}
}
