package settings

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"github.com/scriptrun/scriptrun/hostapi/shell"
	"github.com/scriptrun/scriptrun/hostapi/upward"
	"github.com/scriptrun/scriptrun/runtime"
)

// ProjectFile is the name of a project's settings, in its workspace.
const ProjectFile = "scriptrun.toml"

// Sources say where the settings are. Empty fields mean that there are none. The
// package reads no environment variable to find others.
type Sources struct {
	// Only is a file that counts in full; no other file is read then.
	Only string
	// Operator is the operator's own file; it may be missing. If it lies in the
	// workspace, where tools write, it counts as a project's.
	Operator string
	// Workspace is the folder that may have a [ProjectFile].
	Workspace string
	// Trust records which projects' files somebody trusts.
	Trust Store
}

// Settings are the settings in force: the operator's, and what the project's file may
// add.
type Settings struct {
	Files    []string   // that were read; empty for none
	Projects []*Project // projects' files, trusted or not
	Taken    []string   // names that a later file uses again, without effect

	DefaultEnvironment string
	Environments       []shell.Environment
	Sandbox            shell.Sandbox   // without protected paths and homes
	FetchHosts         []string        // for web.Fetch; empty for every public one
	FetchPrivate       []string        // for web.Fetch
	Limits             runtime.Limits  // ceilings for every run
	Rules              []hostapi.Rules // of [policy], one for each file; see [Settings.Policies]
	AuditFile          string          // absolute; empty for no log
	RequireAudit       bool
	ServeResultBytes   int      // for serve.Options; 0 if no file says it
	ServeInstructions  string   // for serve.Options
	Servers            []Server // none of them runs
	Broken             []Server // those whose files have a mistake, even if the name is taken

	sources   Sources
	unprotect []string // protected paths that may be written
	mcpFiles  bool
}

// Load reads the settings in force, each file once. A file with a mistake in it is an
// error.
func Load(from Sources) (*Settings, error) {
	s := &Settings{sources: from}
	if from.Only != "" {
		named, err := read(from.Only)
		if err == nil && named == nil {
			err = fmt.Errorf("settings: %s: %w", from.Only, os.ErrNotExist)
		}
		if err != nil {
			return nil, err
		}
		return s, s.add(named)
	}
	operator, projects, err := find(from)
	if err != nil {
		return nil, err
	}
	if operator != nil {
		if err := s.add(operator); err != nil {
			return nil, err
		}
	}
	for _, project := range projects {
		if err := s.addProject(project); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// addProject adds a project's file: all of it if its bytes are trusted, otherwise only
// the keys that do not widen.
func (s *Settings) addProject(f *file) error {
	narrow, trusted, grants := f.split(s.view())
	p := s.sources.Trust.judge(s.sources.Workspace, f, grants)
	s.Projects = append(s.Projects, p)
	if p.State == TrustGiven {
		return s.add(trusted)
	}
	if err := s.add(narrow); err != nil {
		return err
	}
	for _, server := range f.MCPServers { // they are listed, and wait for trust
		s.addServer(Server{Name: server.Name, File: f.path, Waits: p, table: server, base: f.dir})
	}
	return nil
}

// view is the settings in force as a file, for the keys that are compared.
func (s *Settings) view() *file {
	v := &file{}
	for _, e := range s.Environments {
		v.Environments = append(v.Environments, environmentTable(e))
	}
	v.Sandbox.Profile, v.Sandbox.Require = string(s.Sandbox.Profile), &s.Sandbox.Require
	v.Sandbox.Limits = sandboxLimits(s.Sandbox.Limits)
	switch s.Sandbox.Network {
	case "": // no file sets it
	case sandbox.NetworkProxied:
		hosts := []any{}
		for _, host := range s.Sandbox.Hosts {
			hosts = append(hosts, host)
		}
		v.Sandbox.Network = hosts
	default:
		v.Sandbox.Network = string(s.Sandbox.Network)
	}
	return v
}

// find reads the operator's file and the project's.
func find(from Sources) (operator *file, projects []*file, err error) {
	if from.Operator != "" {
		own, err := read(from.Operator)
		if err != nil {
			return nil, nil, err
		}
		switch {
		case own == nil:
		case from.Workspace != "" && liesIn(from.Workspace, from.Operator):
			projects = append(projects, own)
		default:
			operator = own
		}
	}
	if from.Workspace == "" {
		return operator, projects, nil
	}
	project, err := read(filepath.Join(from.Workspace, ProjectFile))
	if err == nil && project != nil {
		projects = append(projects, project)
	}
	return operator, projects, err
}

// liesIn reports whether a path is in a folder, with links followed as far as they
// lead. If that cannot be told, the path counts as in it.
func liesIn(folder, path string) bool {
	root, err := canonical(folder)
	if err != nil {
		return true
	}
	for at := range upward.From(path) { // as far as it does not exist yet
		if resolved, err := canonical(at); err == nil {
			rel, err := filepath.Rel(root, resolved)
			return err != nil || filepath.IsLocal(rel)
		}
	}
	return true
}

// canonical is an absolute path with links followed.
func canonical(path string) (string, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(absolute)
}

// Policies returns the rules for a runner. Each policy narrows the calls that the
// others allow.
func (s *Settings) Policies() (policies []hostapi.Policy) {
	for _, rules := range s.Rules {
		policies = append(policies, rules)
	}
	return policies
}

// Shell returns the tool for commands with these settings, in the folder dir.
func (s *Settings) Shell(dir string) (*shell.Tool, error) {
	tool := &shell.Tool{Dir: dir, Default: s.DefaultEnvironment, Environments: s.Environments, Sandbox: s.Sandbox}
	return tool, s.Blame(tool.Validate())
}

// Blame adds the names of the settings files to an error that one of them caused.
func (s *Settings) Blame(err error) error {
	var placed *placedError
	if err == nil || len(s.Files) == 0 || errors.As(err, &placed) {
		return err
	}
	if slices.ContainsFunc(s.Files, func(path string) bool { return strings.HasPrefix(err.Error(), path+":") }) {
		return err // it names the file
	}
	return &placedError{path: strings.Join(s.Files, ", "), err: err}
}
