package settings

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/mcptools"
	"github.com/scriptrun/scriptrun/scripttools"
)

// serverTable is a [[mcp_servers]] table.
type serverTable struct {
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

// Server is an MCP server that a file declares. Declaring it does not start it.
type Server struct {
	Name, File string
	// Waits is the file that must be trusted before the server may start; nil for none.
	Waits *Project
	// Flaw is the mistake in its file; nil for none.
	Flaw error

	table serverTable
	base  string // what its cwd is relative to
}

// checkServers refuses tables from which no server could start.
func (f *file) checkServers(seen *places) error {
	names := map[string]bool{}
	for i, s := range f.MCPServers {
		err := s.check(f.dir)
		if names[s.Name] {
			err = fmt.Errorf("the name of the MCP server %q is taken by another one in this file", s.Name)
		}
		if err != nil {
			return seen.mistake(seen.item("mcp_servers", i), err)
		}
		names[s.Name] = true
	}
	return nil
}

// addServer declares a server, unless the name is taken.
func (s *Settings) addServer(server Server) {
	if slices.ContainsFunc(s.Servers, func(have Server) bool { return have.Name == server.Name }) {
		s.Taken = append(s.Taken, fmt.Sprintf("MCP server %q of %s", server.Name, server.File))
		return
	}
	s.Servers = append(s.Servers, server)
}

// StartsFiles reports whether servers of files of kind: mcp start without a yes for each.
func (s *Settings) StartsFiles() bool { return s.mcpFiles }

// AddServerFiles declares the servers of the kind: mcp files in a directory. A file
// starts no program just because it is there: its server waits until somebody trusts
// the file, unless all is set; then dir.Accept is asked of the file, if it is set.
func (s *Settings) AddServerFiles(dir scripttools.Dir, all bool) error {
	if _, err := os.Lstat(dir.Path); err != nil {
		return nil //nolint:nilerr // the loader of the directory reports it
	}
	specs, err := scripttools.LoadServers(dir)
	if err != nil {
		return err
	}
	for _, spec := range specs {
		server := Server{Name: spec.Name, File: spec.Path, Flaw: spec.Err}
		if server.Flaw == nil {
			server.Flaw = s.fill(&server, spec, all, dir.Accept)
		}
		if server.Flaw != nil {
			s.Broken = append(s.Broken, server)
		}
		s.addServer(server)
	}
	return nil
}

// fill completes a server from its file.
func (s *Settings) fill(server *Server, spec *scripttools.ServerSpec, all bool, accept func(string) error) error {
	p, err := s.sources.Trust.ServerFile(s.sources.Workspace, spec)
	if err != nil {
		return fmt.Errorf("%s: %w", spec.Path, err)
	}
	server.table, server.base = serverOf(spec), p.dir
	if err := server.table.check(p.dir); err != nil {
		return fmt.Errorf("%s: %w", spec.Path, err)
	}
	switch {
	case p.State == TrustGiven: // these bytes, whoever wrote them
	case !all && !s.mcpFiles:
		server.Waits = p
		s.Projects = append(s.Projects, p)
	case accept != nil:
		at, err := filepath.Abs(filepath.FromSlash(spec.Path))
		if err == nil {
			err = accept(at)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", spec.Path, err)
		}
	}
	return nil
}

// serverOf turns a file of kind: mcp into a table.
func serverOf(s *scripttools.ServerSpec) serverTable {
	return serverTable{
		Name: s.Name, Command: s.Command, Args: s.Args, Cwd: s.Cwd, URL: s.URL, Env: s.Env, PassEnv: s.PassEnv,
		BearerEnv: s.BearerEnv, Headers: s.Headers, Tools: s.Tools, TimeoutMs: s.Timeout.Milliseconds(),
	}
}

// ServerFile judges a file of kind: mcp like a settings file with one table. Its
// relative paths begin at the file, whatever the directory of the process.
func (t Store) ServerFile(workspace string, spec *scripttools.ServerSpec) (*Project, error) {
	dir, err := canonical(scripttools.WorkspaceOf(spec.Path))
	if err != nil {
		return nil, err
	}
	f := &file{path: filepath.FromSlash(spec.Path), dir: dir, digest: spec.Digest, MCPServers: []serverTable{serverOf(spec)}}
	_, _, grants := f.split(&file{})
	return t.judge(workspace, f, grants), nil
}

// check refuses a table from which no server could start, whatever the values of the
// variables.
func (s serverTable) check(base string) error {
	_, err := s.server(base, func(string) (string, bool) { return "x", true })
	return err
}

// Resolve returns the server with the values of this process's variables that it names;
// lookup finds them.
func (s Server) Resolve(lookup func(string) (string, bool)) (mcptools.Server, error) {
	server, err := s.table.server(s.base, lookup)
	if err != nil {
		return server, fmt.Errorf("%s: %w", s.File, err)
	}
	return server, nil
}

func (s serverTable) server(base string, lookup func(string) (string, bool)) (mcptools.Server, error) {
	if s.TimeoutMs < 0 {
		return mcptools.Server{}, fmt.Errorf("MCP server %q: timeoutMs is %d; it must be positive", s.Name, s.TimeoutMs)
	}
	server := mcptools.Server{Name: s.Name, URL: s.URL, Headers: map[string]string{}, Tools: s.Tools, Timeout: time.Duration(s.TimeoutMs) * time.Millisecond}
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

// passedOn are the variables that programs need to start.
var passedOn = []string{"PATH", "HOME", "USER", "LANG", "LC_ALL", "TMPDIR", "TERM", "SystemRoot", "APPDATA", "LOCALAPPDATA"}
