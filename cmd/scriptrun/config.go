package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/scriptrun/scriptrun/hostapi/regular"
	"github.com/scriptrun/scriptrun/hostapi/shell"
	"github.com/scriptrun/scriptrun/runtime"
)

// defaultConfig is read if it is in the current directory and no other is
// named.
const defaultConfig = "scriptrun.toml"

// maxConfig bounds the file.
const maxConfig = 192 << 10

// config is what an operator wrote down, for every run.
type config struct {
	path string // empty for none

	notStarted []string // files of kind: mcp

	DefaultEnvironment string `toml:"default_environment"`
	MCPFiles           bool   `toml:"mcp_files"`
	Environments       []struct {
		Name    string            `toml:"name"`
		Cwd     string            `toml:"cwd"`
		Env     map[string]string `toml:"env"`
		Trusted bool              `toml:"trusted"`
	} `toml:"environments"`
	MCPServers []serverConfig `toml:"mcp_servers"`
	Sandbox    struct {
		Profile string   `toml:"profile"`
		Network bool     `toml:"network"`
		Read    []string `toml:"read"`
		Write   []string `toml:"write"`
		Require bool     `toml:"require"`
	} `toml:"sandbox"`
	Fetch struct {
		Hosts   []string `toml:"hosts"`
		Private []string `toml:"private"`
	} `toml:"fetch"`
	Limits struct {
		TimeoutMs      int64 `toml:"timeoutMs"`
		MaxToolCalls   int   `toml:"maxToolCalls"`
		MaxOutputBytes int64 `toml:"maxOutputBytes"`
		MaxMemoryBytes int64 `toml:"maxMemoryBytes"`
	} `toml:"limits"`
}

// configError is a configuration that cannot be used.
type configError struct {
	path      string
	line, col int // 0 if they are not known
	err       error
}

func (e *configError) Error() string {
	place := e.path
	if e.line > 0 {
		place = fmt.Sprintf("%s:%d", e.path, e.line)
		if e.col > 0 {
			place = fmt.Sprintf("%s:%d", place, e.col)
		}
	}
	return place + ": " + e.err.Error()
}

func (e *configError) Unwrap() error { return e.err }

// readConfig reads the file that is named, or else the default one if it is
// there. Nothing is taken from a file with a mistake in it.
func readConfig(path string) (*config, error) {
	named := path != ""
	if !named {
		path = defaultConfig
	}
	text, err := regular.Read(path, maxConfig)
	if !named && errors.Is(err, os.ErrNotExist) {
		return &config{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	return parseConfig(path, string(text))
}

// parseConfig reads the text of a file. The error is a *[configError].
func parseConfig(path, text string) (*config, error) {
	c := &config{path: path}
	about, err := toml.Decode(text, c)
	if err != nil {
		bad := &configError{path: path, err: err}
		var syntax toml.ParseError
		if errors.As(err, &syntax) {
			bad.line, bad.col = syntax.Position.Line, syntax.Position.Col
			bad.err = errors.New(syntax.Message)
		}
		return nil, bad
	}
	for _, key := range about.Keys() { // the decoder takes them in any case
		if !knownKey(key) {
			return nil, &configError{path: path, line: lineOfKey(text, key), err: fmt.Errorf(
				"unknown key %s; there are default_environment, mcp_files, [[environments]] (name, cwd, env, trusted), [[mcp_servers]] (name, command, args, cwd, url, env, pass_env, bearer_env, headers, tools, timeoutMs), [fetch] (hosts, private), [sandbox] (profile, network, read, write, require) and [limits] (timeoutMs, maxToolCalls, maxOutputBytes, maxMemoryBytes)", key)}
		}
	}
	for _, limit := range []struct {
		key   string
		value int64
	}{
		{"timeoutMs", c.Limits.TimeoutMs},
		{"maxToolCalls", int64(c.Limits.MaxToolCalls)},
		{"maxOutputBytes", c.Limits.MaxOutputBytes},
		{"maxMemoryBytes", c.Limits.MaxMemoryBytes},
	} {
		if limit.value <= 0 && about.IsDefined("limits", limit.key) {
			return nil, &configError{path: path, line: lineOfKey(text, toml.Key{"limits", limit.key}), err: fmt.Errorf("limits.%s is %d; expected more than zero", limit.key, limit.value)}
		}
	}
	return c, nil
}

// knownKey reports whether a key, or a table, is one of the file's.
func knownKey(key toml.Key) bool {
	if len(key) == 3 && (key[0] == "environments" && key[1] == "env" || key[0] == "mcp_servers" && (key[1] == "env" || key[1] == "headers")) {
		return true // the variables have names of their own
	}
	return slices.Contains([]string{
		"default_environment",
		"environments", "environments.name", "environments.cwd", "environments.env", "environments.trusted",
		"mcp_files", "mcp_servers", "mcp_servers.name", "mcp_servers.command", "mcp_servers.args", "mcp_servers.cwd", "mcp_servers.url", "mcp_servers.env",
		"mcp_servers.pass_env", "mcp_servers.bearer_env", "mcp_servers.headers", "mcp_servers.tools", "mcp_servers.timeoutMs",
		"fetch", "fetch.hosts", "fetch.private",
		"sandbox", "sandbox.profile", "sandbox.network", "sandbox.read", "sandbox.write", "sandbox.require",
		"limits", "limits.timeoutMs", "limits.maxToolCalls", "limits.maxOutputBytes", "limits.maxMemoryBytes",
	}, strings.Join(key, "."))
}

// lineOfKey finds the line that a key is on, by its last word; 0 if it is not
// found. The decoder does not tell.
func lineOfKey(text string, key toml.Key) int {
	last := key[len(key)-1]
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimLeft(line, " \t[\"'")
		if rest, ok := strings.CutPrefix(line, last); ok && strings.IndexAny(rest+"=", " \t=]\"'.") == 0 {
			return i + 1
		}
	}
	return 0
}

// shell is the tool that the configuration describes, for a workspace.
func (c *config) shell(workspace, environment, spill string) (*shell.Tool, error) {
	tool := &shell.Tool{
		Dir: workspace, Default: c.DefaultEnvironment, SpillDir: spill,
		Sandbox: shell.Sandbox{Profile: shell.Profile(c.Sandbox.Profile), Network: c.Sandbox.Network, Require: c.Sandbox.Require},
	}
	for _, e := range c.Environments {
		tool.Environments = append(tool.Environments, shell.Environment(e))
	}
	for _, list := range []struct {
		from []string
		to   *[]string
	}{{c.Sandbox.Read, &tool.Sandbox.Read}, {c.Sandbox.Write, &tool.Sandbox.Write}} {
		for _, path := range list.from {
			resolved, err := c.resolvePath(path)
			if err != nil {
				return nil, err
			}
			*list.to = append(*list.to, resolved)
		}
	}
	if err := tool.Validate(); err != nil {
		return nil, &configError{path: c.path, err: err}
	}
	if environment == "" {
		return tool, nil
	}
	tool.Default = environment
	if err := tool.Validate(); err != nil {
		return nil, fmt.Errorf("--env: %w", err)
	}
	return tool, nil
}

// resolvePath is a path of the file: absolute, ~/ for the home folder, or
// relative to the file.
func (c *config) resolvePath(path string) (string, error) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", &configError{path: c.path, err: fmt.Errorf("sandbox: %q: %w", path, err)}
		}
		return filepath.Join(home, rest), nil
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path), nil
	}
	return filepath.Abs(filepath.Join(filepath.Dir(c.path), path))
}

// ceiling is what no run may exceed.
func (c *config) ceiling() runtime.Limits {
	return runtime.Limits{
		Timeout: millis(c.Limits.TimeoutMs), MaxToolCalls: c.Limits.MaxToolCalls,
		MaxOutputBytes: c.Limits.MaxOutputBytes, MaxMemoryBytes: c.Limits.MaxMemoryBytes,
	}
}
