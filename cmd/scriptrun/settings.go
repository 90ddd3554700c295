package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/protect"
	"github.com/scriptrun/scriptrun/hostapi/shell"
	"github.com/scriptrun/scriptrun/runtime"
)

// projectFile is the name of a project's settings, in its workspace.
const projectFile = "scriptrun.toml"

// settings are what is in force: the operator's, and what the project's file
// may say beside them.
type settings struct {
	files    []string // where they are from; empty for nowhere
	projects []project
	taken    []string // what a later file names again, which does not count

	environment  string // the default one
	environments []environmentTable
	sandbox      shell.Sandbox
	unprotect    []string // of what is protected, what is not
	hosts        []string // empty for every public one
	private      []string
	limits       runtime.Limits
	policy       []*hostapi.Rules
	audit        auditSettings
	mcpFiles     bool
	servers      []declaredServer
	broken       []declaredServer // those of files that are, whether their names are free or not
}

// project is a project's file, and what it wants beyond what was there.
type project struct {
	file   *settingsFile
	grants []grant
	state  trustState
}

// loadSettings reads what is in force for a command: the file that --config
// names and nothing else, or the user's and the project's. Each is read once.
func (f *hostFlags) loadSettings() (*settings, error) {
	if f.config != "" {
		named, err := readSettings(f.config)
		if err == nil && named == nil {
			err = fmt.Errorf("settings: %s: %w", f.config, os.ErrNotExist)
		}
		if err != nil {
			return nil, err
		}
		s := &settings{}
		return s, s.add(named)
	}
	workspace := f.workspace
	if workspace == "" {
		workspace = "."
	}
	operator, projects, err := findSettings(workspace)
	if err != nil {
		return nil, err
	}
	s := &settings{}
	if operator != nil {
		if err := s.add(operator); err != nil {
			return nil, err
		}
	}
	for _, project := range projects {
		if err := s.addProject(workspace, project); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// addProject takes of a project's file what it may say: all of it where these
// bytes are trusted, and otherwise what does not widen what is there.
func (s *settings) addProject(workspace string, f *settingsFile) error {
	narrow, trusted, grants, err := f.split(s.view())
	if err != nil {
		return err
	}
	p := project{file: f, grants: grants, state: stateOfTrust(workspace, f, grants)}
	s.projects = append(s.projects, p)
	if p.state == trustGiven {
		return s.add(trusted)
	}
	if err := s.add(narrow); err != nil {
		return err
	}
	for _, server := range f.MCPServers { // they are known, and wait
		s.addServer(declaredServer{serverConfig: server, place: f.path, base: f.dir, allow: "scriptrun trust" + p.argument()})
	}
	return nil
}

// view is what is in force, as far as it decides what widens it.
func (s *settings) view() *settingsFile {
	v := &settingsFile{Environments: s.environments}
	v.Sandbox.Profile, v.Sandbox.Require = string(s.sandbox.Profile), &s.sandbox.Require
	limits := s.sandbox.Limits
	v.Sandbox.Limits.MemoryBytes, v.Sandbox.Limits.FileBytes = limits.MemoryBytes, limits.FileBytes
	v.Sandbox.Limits.Processes, v.Sandbox.Limits.OpenFiles = limits.Processes, limits.OpenFiles
	if s.sandbox.Network != "" {
		v.Sandbox.Network = &networkSetting{s.sandbox.Network, s.sandbox.Hosts}
	}
	return v
}

// findSettings reads the user's file and the project's. A user's file that
// lies in the workspace is where tools write: it is a project's then.
func findSettings(workspace string) (operator *settingsFile, projects []*settingsFile, err error) {
	if path := userSettings(); path != "" {
		user, err := readSettings(path)
		if err != nil {
			return nil, nil, err
		}
		switch {
		case user == nil:
		case liesIn(workspace, path):
			projects = append(projects, user)
		default:
			operator = user
		}
	}
	project, err := readSettings(filepath.Join(workspace, projectFile))
	if err == nil && project != nil {
		projects = append(projects, project)
	}
	return operator, projects, err
}

// operatorSettings is the file where the operator allows more, whether it is there or not;
// empty where there is none to name.
func (f *hostFlags) operatorSettings() string {
	if f.config == "" {
		return userSettings()
	}
	path, err := filepath.Abs(f.config)
	if err != nil {
		return f.config
	}
	return path
}

// userSettings is the user's file, whether it is there or not; empty where the
// user has no home.
func userSettings() string {
	return userFolder("XDG_CONFIG_HOME", ".config", "config.toml")
}

// userFolder is a path below one of the user's folders: that of a variable, or
// else one in the home folder. It is empty where there is neither.
func userFolder(variable, usual string, below ...string) string {
	folder := os.Getenv(variable)
	if !filepath.IsAbs(folder) { // as the specification of these variables says
		home, err := os.UserHomeDir()
		if err != nil || !filepath.IsAbs(home) {
			return ""
		}
		folder = filepath.Join(home, usual)
	}
	return filepath.Join(append([]string{folder, "scriptrun"}, below...)...)
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

// shell is the tool that the settings describe, for a workspace.
func (s *settings) shell(workspace, environment, spill string, protected protect.Paths) (*shell.Tool, error) {
	tool := &shell.Tool{Dir: workspace, Default: s.environment, SpillDir: spill, Sandbox: s.sandbox}
	tool.Sandbox.Protected = protected
	tool.Sandbox.Homes = homesFolder().Path
	for _, e := range s.environments {
		tool.Environments = append(tool.Environments, shell.Environment(e))
	}
	if err := tool.Validate(); err != nil {
		return nil, s.blame(err)
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

// blame names the files that settings are from in an error about them.
func (s *settings) blame(err error) error {
	var placed *settingsError
	if err == nil || len(s.files) == 0 || errors.As(err, &placed) {
		return err
	}
	return &settingsError{path: strings.Join(s.files, ", "), err: err}
}
