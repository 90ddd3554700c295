//go:build unix

package presets_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/internal/presets"
	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// tool is a machine on which a program says what it is told to.
func tool(t *testing.T, name, script string) presets.Machine {
	t.Helper()
	dir := t.TempDir()
	syscall.ForkLock.RLock() // a child that is forked meanwhile would keep the file from being run
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	return presets.Machine{Path: dir + ":/usr/bin:/bin"}
}

func say(text string) string { return "cat <<'END'\n" + text + "\nEND\n" }

// TestToolsSayTheirHosts: what each tool's configuration can say, and what comes
// of it, without credentials.
func TestToolsSayTheirHosts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, preset, program, script string
		hosts                         []string
		env                           map[string]string
		fails                         string
	}{
		{
			"proxies and a checksum database", "go", "go", say(`{"GOPROXY": "https://u:pw@goproxy.corp:8443/x,https://second.example|direct", "GOSUMDB": "sum.example+abc"}`),
			[]string{"goproxy.corp:8443", "second.example", "sum.example"},
			map[string]string{"GOPROXY": "https://goproxy.corp:8443/x,https://second.example|direct", "GOSUMDB": "sum.example+abc", "GONOSUMDB": "", "GOPRIVATE": ""}, "",
		},
		{
			"a database somewhere else", "go", "go", say(`{"GOPROXY": "goproxy.corp,off", "GOSUMDB": "sum.example+abc https://u:pw@mirror.corp/db", "GOPRIVATE": "corp/*"}`),
			[]string{"goproxy.corp", "mirror.corp"},
			map[string]string{"GOPROXY": "https://goproxy.corp,off", "GOSUMDB": "sum.example+abc https://mirror.corp/db", "GONOSUMDB": "", "GOPRIVATE": "corp/*"}, "",
		},
		{"no database", "go", "go", say(`{"GOPROXY": "http://localhost:3000", "GOSUMDB": "off"}`), []string{"localhost:3000"}, map[string]string{"GOPROXY": "http://localhost:3000", "GOSUMDB": "off", "GONOSUMDB": "", "GOPRIVATE": ""}, ""},
		{
			"toolchains, which go may fetch", "go", "go", say(`{"GOPROXY": "http://goproxy.corp", "GOSUMDB": "off", "GOENV": "HERE/env"}`), []string{"goproxy.corp"},
			map[string]string{"GOPROXY": "http://goproxy.corp", "GOSUMDB": "off", "GONOSUMDB": "", "GOPRIVATE": "", "GOTOOLCHAIN": "go1.2+auto"}, "",
		},
		{
			"toolchains, as go comes", "go", "go", say(`{"GOPROXY": "http://goproxy.corp", "GOSUMDB": "off", "GOENV": "HERE/nowhere", "GOROOT": "HERE"}`), []string{"goproxy.corp"},
			map[string]string{"GOPROXY": "http://goproxy.corp", "GOSUMDB": "off", "GONOSUMDB": "", "GOPRIVATE": "", "GOTOOLCHAIN": "auto"}, "",
		},
		{
			"no toolchains", "go", "go", say(`{"GOPROXY": "http://goproxy.corp", "GOSUMDB": "off", "GOENV": "HERE/other", "GOROOT": "HERE"}`), []string{"goproxy.corp"},
			map[string]string{"GOPROXY": "http://goproxy.corp", "GOSUMDB": "off", "GONOSUMDB": "", "GOPRIVATE": ""}, "",
		},
		{"no proxy", "go", "go", say(`{"GOPROXY": "direct", "GOSUMDB": "sum.example"}`), nil, nil, "GOPROXY is direct"},
		{"a folder", "go", "go", say(`{"GOPROXY": "file:///srv/modules", "GOSUMDB": "off"}`), nil, nil, "names no host"},
		{"no JSON", "go", "go", "echo hello", nil, nil, "could not be found out"},
		{"a failure", "go", "go", "echo broken >&2; exit 3", nil, nil, "exit status 3: broken"},
		{
			"a registry and scopes", "npm", "npm", say(`{"registry": "https://npm.corp/a/", "@own:registry": "https://u:pw@own.corp:8443/", "noproxy": ["x"], "replace-registry-host": "npmjs"}`),
			[]string{"npm.corp", "own.corp:8443"}, map[string]string{"npm_config_registry": "https://npm.corp/a/"}, "",
		},
		{"none", "npm", "npm", say(`{}`), nil, nil, "names no registry"},
		{
			"indexes", "pip", "pip3", say("global.extra-index-url='https://u:pw@extra.corp/simple\\nhttps://other.corp/simple'\nglobal.index-url='https://global.corp/simple'\n:env:.index-url='https://u:pw@env.corp:8443/simple'\nfreeze.index-url='https://no.corp'"),
			[]string{"env.corp:8443", "extra.corp", "other.corp"}, map[string]string{"PIP_INDEX_URL": "https://env.corp:8443/simple", "PIP_EXTRA_INDEX_URL": "https://extra.corp/simple https://other.corp/simple"}, "",
		},
		{
			"its own default", "pip", "pip3", `[ "$1" = config ] && exit 0` + "\n" + say("  -i, --index-url <url>       Base URL of the Index (default\n     https://index.example/simple). This\n  --extra-index-url <url>     Extra (default https://no.example)."),
			[]string{"index.example"}, map[string]string{"PIP_INDEX_URL": "https://index.example/simple"}, "",
		},
		{"no default", "pip", "pip3", `[ "$1" = config ] && exit 0` + "\n" + say("  -i, --index-url <url>       Base URL.\n  --extra-index-url <url>     Extra (default https://no.example)."), nil, nil, "names no index"},
		{
			"registries and sources", "cargo", "cargo", say(`{"registries":{"own-one":{"index":"sparse+https://u:pw@own.corp:8443/x/"}},"source":{"crates-io":{"replace-with":"mirror"},"mirror":{"registry":"sparse+https://mirror.corp/index/"}}}`),
			[]string{"mirror.corp", "own.corp:8443"}, map[string]string{"CARGO_REGISTRIES_OWN_ONE_INDEX": "sparse+https://own.corp:8443/x/"}, "",
		},
		{"nothing", "cargo", "cargo", say(`{}`), nil, nil, "did not tell its default ()"},
		{"nothing that is quoted", "cargo", "cargo", `[ "$1" = search ] || { echo '{}'; exit 0; }; echo 'see https://help.example' >&2; exit 1`, nil, nil, "did not tell its default (see https://help.example)"},
		{
			"its own default", "cargo", "cargo", `[ "$1" = search ] || { echo '{}'; exit 0; }; [ "$CARGO_HTTP_PROXY" = http://127.0.0.1:0 ] || exit 9; printf 'error: no\n  failed to download from ` + "`https://index.example/config.json`" + `\n see ` + "`cargo help`" + `' >&2; exit 101`,
			[]string{"index.example"}, map[string]string{}, "",
		},
		{"not installed", "cargo", "npm", "", nil, nil, "cargo is not installed"},
		{"unknown", "gem", "gem", "", nil, nil, "there are cargo, go, npm, pip"},
	} {
		here := t.TempDir()
		for name, choice := range map[string]string{"env": "go1.2+auto", "go.env": "auto", "other": "local"} {
			if err := os.WriteFile(filepath.Join(here, name), []byte("GOFLAGS=\nGOTOOLCHAIN="+choice+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		m := tool(t, c.program, strings.ReplaceAll(c.script, "HERE", here))
		if c.name == "not installed" {
			first, _, _ := strings.Cut(m.Path, ":")
			m.Path = filepath.Dir(first)
		}
		found, err := m.Find(t.Context(), c.preset)
		if c.fails != "" {
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s, %s: %+v, %v", c.preset, c.name, found, err)
			}
			continue
		}
		if err != nil || !slices.Equal(found.Hosts, c.hosts) || !maps.Equal(found.Env, c.env) {
			t.Errorf("%s, %s: %+v, %v", c.preset, c.name, found, err)
		}
	}
}

// TestToolsAreTheOperators: none is run that commands could have put there, nor
// one that is found below the current folder, and none reads the workspace.
func TestToolsAreTheOperators(t *testing.T) {
	t.Parallel()
	ran := filepath.Join(t.TempDir(), "ran")
	m := tool(t, "go", "touch "+ran)
	dir := strings.Split(m.Path, ":")[0]
	m.Avoid = sandbox.NewPlaces(dir)
	if _, err := m.Find(t.Context(), "go"); err == nil || !strings.Contains(err.Error(), "commands may write") {
		t.Error(err)
	}
	link := t.TempDir()
	if err := os.Symlink(filepath.Join(dir, "go"), filepath.Join(link, "go")); err != nil {
		t.Fatal(err)
	}
	m.Path = link
	if _, err := m.Find(t.Context(), "go"); err == nil || !strings.Contains(err.Error(), "commands may write") {
		t.Error(err)
	}
	if _, err := os.Stat(ran); !errors.Is(err, os.ErrNotExist) {
		t.Error("it ran")
	}
	if _, err := (presets.Machine{Path: "bin:."}).Find(t.Context(), "go"); err == nil || !strings.Contains(err.Error(), "not installed") {
		t.Error(err)
	}
	here := tool(t, "npm", `printf '{"registry": "https://%s.example/"}' "$(pwd | tr / x)"`)
	if found, err := here.Find(t.Context(), "npm"); err != nil || found.Hosts[0] != "x.example" {
		t.Errorf("%+v, %v", found, err)
	}
}

// TestToolsOfThisMachine: the real ones, as far as there are any.
func TestToolsOfThisMachine(t *testing.T) {
	t.Parallel()
	cargoHome := t.TempDir()
	if err := os.WriteFile(filepath.Join(cargoHome, "config.toml"), []byte("[source.crates-io]\nreplace-with = 'mirror'\n[source.mirror]\nregistry = 'sparse+https://mirror.corp/index/'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "GOPROXY=https://goproxy.corp:8443", "GOSUMDB=off", "GOFLAGS=-mod=mod", "npm_config_registry=https://npm.corp/", "PIP_INDEX_URL=https://pip.corp/simple", "CARGO_HOME="+cargoHome)
	m := presets.Machine{Path: os.Getenv("PATH"), Env: env}
	for name, want := range map[string]string{"go": "goproxy.corp:8443", "npm": "npm.corp", "pip": "pip.corp", "cargo": "mirror.corp"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Logf("%s is not here: %v", name, err)
			continue
		}
		found, err := m.Find(t.Context(), name)
		if err != nil && strings.Contains(err.Error(), "not installed") {
			t.Log(err)
			continue
		}
		if err != nil || !slices.Contains(found.Hosts, want) {
			t.Errorf("%s: %s, %v", name, fmt.Sprint(found), err)
		}
	}
	if _, err := exec.LookPath("cargo"); err != nil {
		t.Logf("cargo is not here: %v", err)
		return
	}
	m.Env = append(os.Environ(), "CARGO_HOME="+t.TempDir()) // it is configured nowhere, and says what it asks by itself
	if found, err := m.Find(t.Context(), "cargo"); (err != nil || len(found.Hosts) != 1) && (err == nil || !strings.Contains(err.Error(), "not installed")) {
		t.Errorf("%s, %v", fmt.Sprint(found), err)
	}
}
