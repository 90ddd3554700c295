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
	"github.com/scriptrun/scriptrun/runtime"
)

// ProjectFile is the name of a project's settings, in its workspace.
const ProjectFile = "scriptrun.toml"

// Sources say where settings are. What is empty is not there. The package looks
// at no variable of the process to find others.
type Sources struct {
	// Only is a file that counts as a whole. No other is read then.
	Only string
	// Operator is the operator's own file, which need not exist. If it lies in the
	// workspace, where tools write, it is a project's.
	Operator string
	// Workspace is the folder that may have a [ProjectFile].
	Workspace string
	// Trust has what somebody trusts of projects' files.
	Trust Store
}

// Settings are what is in force: the operator's, and what the project's file
// may say beside them.
type Settings struct {
	Files    []string   // where they are from; empty for nowhere
	Projects []*Project // files that do not count as a whole, or did not
	Taken    []string   // what a later file names again, which does not count

	DefaultEnvironment string
	Environments       []shell.Environment
	Sandbox            shell.Sandbox   // without what is protected, and without homes
	FetchHosts         []string        // for web.Fetch; empty for every public one
	FetchPrivate       []string        // for web.Fetch
	Limits             runtime.Limits  // a ceiling for every run
	Rules              []hostapi.Rules // of [policy], those of a file each; see [Settings.Policies]
	AuditFile          string          // absolute; empty for no log
	RequireAudit       bool
	Servers            []Server // none of them runs
	Broken             []Server // those whose file has a mistake, whether their names are free or not

	sources   Sources
	unprotect []string // of what is protected, what is not
	mcpFiles  bool
}

// Load reads what is in force. Each file is read once. Nothing is taken from a
// file with a mistake in it.
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

// addProject takes of a project's file what it may say: all of it where these
// bytes are trusted, and otherwise what does not widen what is there.
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
	for _, server := range f.MCPServers { // they are known, and wait
		s.addServer(Server{Name: server.Name, File: f.path, Waits: p, table: server, base: f.dir})
	}
	return nil
}

// view is what is in force, as far as it decides what widens it.
func (s *Settings) view() *file {
	v := &file{}
	for _, e := range s.Environments {
		v.Environments = append(v.Environments, environmentTable(e))
	}
	v.Sandbox.Profile, v.Sandbox.Require = string(s.Sandbox.Profile), &s.Sandbox.Require
	v.Sandbox.Limits = sandboxLimits(s.Sandbox.Limits)
	switch s.Sandbox.Network {
	case "": // nobody says
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

// liesIn reports whether a path is in a folder, links followed as far as they
// lead somewhere. What cannot be told lies in it.
func liesIn(folder, path string) bool {
	root, err := canonical(folder)
	if err != nil {
		return true
	}
	for {
		resolved, err := canonical(path)
		if err == nil {
			rel, err := filepath.Rel(root, resolved)
			return err != nil || filepath.IsLocal(rel)
		}
		parent := filepath.Dir(path)
		if parent == path {
			return true
		}
		path = parent // it is not there yet
	}
}

// canonical is an absolute path, links followed.
func canonical(path string) (string, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(absolute)
}

// Policies are the rules as a runner takes them. Each narrows what the others
// leave.
func (s *Settings) Policies() (policies []hostapi.Policy) {
	for _, rules := range s.Rules {
		policies = append(policies, rules)
	}
	return policies
}

// Shell is the tool for commands that the settings describe, in a folder.
func (s *Settings) Shell(dir string) (*shell.Tool, error) {
	tool := &shell.Tool{Dir: dir, Default: s.DefaultEnvironment, Environments: s.Environments, Sandbox: s.Sandbox}
	return tool, s.Blame(tool.Validate())
}

// Blame names the files that the settings are from in an error about them.
func (s *Settings) Blame(err error) error {
	var placed *placedError
	if err == nil || len(s.Files) == 0 || errors.As(err, &placed) {
		return err
	}
	if slices.ContainsFunc(s.Files, func(path string) bool { return strings.HasPrefix(err.Error(), path+":") }) {
		return err // it says where
	}
	return &placedError{path: strings.Join(s.Files, ", "), err: err}
}
