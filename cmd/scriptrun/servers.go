package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/BurntSushi/toml"
	"github.com/scriptrun/scriptrun/hostapi/mcptools"
	"github.com/scriptrun/scriptrun/scripttools"
)

// serverConfig is a [[mcp_servers]] table.
type serverConfig struct {
	Name      string            `toml:"name"`
	Command   string            `toml:"command,omitempty"`
	Args      []string          `toml:"args,omitempty"`
	Cwd       string            `toml:"cwd,omitempty"`
	URL       string            `toml:"url,omitempty"`
	Env       map[string]string `toml:"env,omitempty"`
	PassEnv   []string          `toml:"pass_env,omitempty"`
	BearerEnv string            `toml:"bearer_env,omitempty"`
	Headers   map[string]string `toml:"headers,omitempty"`
	Tools     []string          `toml:"tools,omitempty"`
	TimeoutMs int64             `toml:"timeoutMs,omitempty"`
}

// declaredServer is a server that some file declares. It is not started by
// that.
type declaredServer struct {
	serverConfig
	place string // the file
	base  string // what its cwd is relative to
	allow string // what lets it be started; empty where nothing is missing
	flaw  error  // what is wrong with its file; nil where nothing is
}

// heldServerError is a tool that needs a server which nobody has allowed.
type heldServerError struct{ server declaredServer }

func (e *heldServerError) Error() string {
	return fmt.Sprintf("the MCP server %q is not started: %s declares it, and it waits for: %s", e.server.Name, e.server.place, e.server.allow)
}

// brokenServerError is a tool that needs a server whose file is broken.
type brokenServerError struct{ server declaredServer }

func (e *brokenServerError) Error() string {
	return fmt.Sprintf("the MCP server %q is not started, for its file is broken\n%v", e.server.Name, e.server.flaw)
}

func (e *brokenServerError) Unwrap() error { return e.server.flaw }

// checkServers refuses tables that no server could be started from.
func (f *settingsFile) checkServers() error {
	seen := map[string]bool{}
	for _, s := range f.MCPServers {
		if seen[s.Name] {
			return &settingsError{path: f.path, err: fmt.Errorf("the name of the MCP server %q is taken by another of this file", s.Name)}
		}
		seen[s.Name] = true
		if _, err := s.server(f.dir, func(string) (string, bool) { return "x", true }); err != nil {
			return &settingsError{path: f.path, err: err}
		}
	}
	return nil
}

// addServer declares a server, unless the name is taken.
func (s *settings) addServer(d declaredServer) {
	if slices.ContainsFunc(s.servers, func(have declaredServer) bool { return have.Name == d.Name }) {
		s.taken = append(s.taken, fmt.Sprintf("MCP server %q of %s", d.Name, d.place))
		return
	}
	s.servers = append(s.servers, d)
}

// addServerFiles declares the servers of the tools directory. A file of
// somebody's does not start programs by lying there.
func (s *settings) addServerFiles(f *hostFlags) error {
	dir := f.toolsDir()
	if _, err := os.Lstat(dir.Path); err != nil {
		return nil //nolint:nilerr // whoever needs the directory says so
	}
	specs, err := scripttools.LoadServers(dir)
	if err != nil {
		return err
	}
	for _, spec := range specs {
		if spec.Err != nil {
			s.addBroken(spec, spec.Err)
			continue
		}
		p, err := serverProject(f.workspaceDir(), spec)
		if err == nil {
			_, err = configOf(spec).server(p.file.dir, func(string) (string, bool) { return "x", true })
		}
		if err != nil {
			s.addBroken(spec, fmt.Errorf("%s: %w", spec.Path, err))
			continue
		}
		server := declaredServer{serverConfig: configOf(spec), place: spec.Path, base: p.file.dir}
		if !f.mcpFiles && !s.mcpFiles && p.state != trustGiven {
			server.allow = "scriptrun trust " + quoted(spec.Path) + ", or --mcp-files"
			s.projects = append(s.projects, p)
		}
		s.addServer(server)
	}
	return nil
}

// configOf is the table that a file of kind: mcp stands for.
func configOf(s *scripttools.ServerSpec) serverConfig {
	return serverConfig{
		Name: s.Name, Command: s.Command, Args: s.Args, Cwd: s.Cwd, URL: s.URL, Env: s.Env, PassEnv: s.PassEnv,
		BearerEnv: s.BearerEnv, Headers: s.Headers, Tools: s.Tools, TimeoutMs: s.Timeout.Milliseconds(),
	}
}

// serverProject is a file of kind: mcp as settings with one table, to be judged
// as they are. Its relative paths begin where the file itself says, whatever
// directory scriptrun is in.
func serverProject(workspace string, spec *scripttools.ServerSpec) (project, error) {
	dir, err := canonical(scripttools.WorkspaceOf(spec.Path))
	if err != nil {
		return project{}, err
	}
	var text bytes.Buffer
	f := &settingsFile{path: filepath.FromSlash(spec.Path), dir: dir, digest: spec.Digest}
	if err := toml.NewEncoder(&text).Encode(map[string]any{"mcp_servers": []serverConfig{configOf(spec)}}); err != nil {
		return project{}, err
	}
	if _, err := toml.Decode(text.String(), &f.tree); err != nil {
		return project{}, err
	}
	_, _, grants, err := f.split(&settingsFile{})
	return project{file: f, grants: grants, state: stateOfTrust(workspace, f, grants)}, err
}

// server is what a table says, with what it names of this process's variables,
// which lookup finds.
func (s serverConfig) server(base string, lookup func(string) (string, bool)) (mcptools.Server, error) {
	if s.TimeoutMs < 0 {
		return mcptools.Server{}, fmt.Errorf("MCP server %q: timeoutMs is %d; it must be positive", s.Name, s.TimeoutMs)
	}
	server := mcptools.Server{Name: s.Name, URL: s.URL, Headers: map[string]string{}, Tools: s.Tools, Timeout: millis(s.TimeoutMs)}
	for name, value := range s.Headers {
		server.Headers[name] = value
	}
	if s.BearerEnv != "" {
		token, ok := lookup(s.BearerEnv)
		if !ok {
			return mcptools.Server{}, fmt.Errorf("MCP server %q: bearer_env names %s, which is not set", s.Name, s.BearerEnv)
		}
		server.Headers["Authorization"] = "Bearer " + token
	}
	if s.Command != "" {
		server.Command = append([]string{s.Command}, s.Args...)
		server.Env = map[string]string{}
		for _, name := range passedOn {
			if value, ok := lookup(name); ok {
				server.Env[name] = value
			}
		}
		for _, name := range s.PassEnv {
			value, ok := lookup(name)
			if !ok {
				return mcptools.Server{}, fmt.Errorf("MCP server %q: pass_env names %s, which is not set", s.Name, name)
			}
			server.Env[name] = value
		}
		for name, value := range s.Env {
			server.Env[name] = value
		}
		server.Dir = base
		if s.Cwd != "" {
			server.Dir = s.Cwd
			if !filepath.IsAbs(s.Cwd) {
				server.Dir = filepath.Join(base, s.Cwd)
			}
		}
	} else if len(s.Args) > 0 || len(s.Env) > 0 || len(s.PassEnv) > 0 || s.Cwd != "" {
		return mcptools.Server{}, fmt.Errorf("MCP server %q: args, env, pass_env and cwd are for a command", s.Name)
	}
	return server, server.Check()
}

// passedOn are the variables that programs do not start without.
var passedOn = []string{"PATH", "HOME", "USER", "LANG", "LC_ALL", "TMPDIR", "TERM", "SystemRoot", "APPDATA", "LOCALAPPDATA"}
