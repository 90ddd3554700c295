package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/mcptools"
	"github.com/scriptrun/scriptrun/scripttools"
)

// serverConfig is a [[mcp_servers]] table.
type serverConfig struct {
	Name      string            `toml:"name"`
	Command   string            `toml:"command"`
	Args      []string          `toml:"args"`
	Cwd       string            `toml:"cwd"`
	URL       string            `toml:"url"`
	Env       map[string]string `toml:"env"`
	PassEnv   []string          `toml:"pass_env"`
	BearerEnv string            `toml:"bearer_env"`
	Headers   map[string]string `toml:"headers"`
	Tools     []string          `toml:"tools"`
	TimeoutMs int64             `toml:"timeoutMs"`
}

// servers are those of the configuration and of the tools directory.
func (f *hostFlags) servers(c *config) ([]mcptools.Server, error) {
	var servers []mcptools.Server
	from := map[string]string{} // where a name was taken
	add := func(place, base string, s serverConfig) error {
		if first, taken := from[s.Name]; taken {
			return fmt.Errorf("%s: the name of the MCP server %q is taken by %s", place, s.Name, first)
		}
		from[s.Name] = place
		server, err := s.server(base)
		if err != nil {
			return fmt.Errorf("%s: %w", place, err)
		}
		servers = append(servers, server)
		return nil
	}
	for _, s := range c.MCPServers {
		if err := add(c.path, filepath.Dir(c.path), s); err != nil {
			return nil, err
		}
	}
	dir := scripttools.Dir{Path: f.tools, Workspace: f.workspace}
	if dir.Path == "" {
		dir.Path = defaultTools
	}
	if _, err := os.Lstat(dir.Path); err != nil {
		return servers, nil //nolint:nilerr // whoever needs the directory says so
	}
	specs, err := scripttools.LoadServers(dir)
	if err != nil {
		return nil, err
	}
	if !f.mcpFiles && !c.MCPFiles { // a file of somebody's does not start programs by lying there
		for _, s := range specs {
			c.notStarted = append(c.notStarted, s.Path)
		}
		return servers, nil
	}
	for _, s := range specs {
		if err := add(s.Path, ".", serverConfig{
			Name: s.Name, Command: s.Command, Args: s.Args, Cwd: s.Cwd, URL: s.URL, Env: s.Env, PassEnv: s.PassEnv,
			BearerEnv: s.BearerEnv, Headers: s.Headers, Tools: s.Tools, TimeoutMs: s.Timeout.Milliseconds(),
		}); err != nil {
			return nil, err
		}
	}
	return servers, nil
}

// server is what a table says, with what it names of this process's variables.
func (s serverConfig) server(base string) (mcptools.Server, error) {
	if s.TimeoutMs < 0 {
		return mcptools.Server{}, fmt.Errorf("MCP server %q: timeoutMs is %d; it must be positive", s.Name, s.TimeoutMs)
	}
	server := mcptools.Server{Name: s.Name, URL: s.URL, Headers: map[string]string{}, Tools: s.Tools, Timeout: millis(s.TimeoutMs)}
	for name, value := range s.Headers {
		server.Headers[name] = value
	}
	if s.BearerEnv != "" {
		token, ok := os.LookupEnv(s.BearerEnv)
		if !ok {
			return mcptools.Server{}, fmt.Errorf("MCP server %q: bearer_env names %s, which is not set", s.Name, s.BearerEnv)
		}
		server.Headers["Authorization"] = "Bearer " + token
	}
	if s.Command != "" {
		server.Command = append([]string{s.Command}, s.Args...)
		server.Env = map[string]string{}
		for _, name := range passedOn {
			if value, ok := os.LookupEnv(name); ok {
				server.Env[name] = value
			}
		}
		for _, name := range s.PassEnv {
			value, ok := os.LookupEnv(name)
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

// connect starts the servers, all at once, or none.
func connect(ctx context.Context, servers []mcptools.Server) ([]*mcptools.Connection, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	connections := make([]*mcptools.Connection, len(servers))
	errs := make([]error, len(servers))
	var all sync.WaitGroup
	for i, server := range servers {
		server.Noted = func(sentence string) { fmt.Fprintln(os.Stderr, "scriptrun: "+plain(sentence)) }
		all.Go(func() { connections[i], errs[i] = mcptools.Connect(ctx, server) })
	}
	all.Wait()
	connections = slices.DeleteFunc(connections, func(c *mcptools.Connection) bool { return c == nil })
	if err := errors.Join(errs...); err != nil {
		disconnect(connections)
		return nil, err
	}
	return connections, nil
}

// disconnect ends them, all at once.
func disconnect(connections []*mcptools.Connection) {
	var all sync.WaitGroup
	for _, c := range connections {
		all.Go(func() { _ = c.Close() }) // it never fails
	}
	all.Wait()
}
