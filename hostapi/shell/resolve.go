package shell

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// resolve is the one place that decides where every command runs and with what
// environment. The first that is set wins:
//
//	directory: the call, the named environment, the default one, the workspace
//	variable:  the call, the named environment, the default one, [Tool.Env], the
//	           household, the inherited variables
//
// A call that sets a directory or variables is not trusted, and neither is the
// environment that it runs in. dropped are the variables that were set and do not pass.
func (t *Tool) resolve(args arguments) (resolved ExecContext, dropped []string, err error) {
	root, err := t.folder().at(t.Dir)
	if err != nil {
		return ExecContext{}, nil, fmt.Errorf("the workspace: %w", err)
	}
	named, err := t.asked(args.Environment)
	if err != nil {
		return ExecContext{}, nil, err
	}
	usual, err := t.environment("")
	if err != nil {
		return ExecContext{}, nil, err
	}
	resolved = ExecContext{name: named.Name, root: root}
	for _, dir := range []string{args.Cwd, named.Cwd, usual.Cwd, "."} {
		if dir == "" {
			continue
		}
		if resolved.cwd, err = dirWithin(root, dir); err != nil {
			return ExecContext{}, nil, err
		}
		break
	}
	resolved.trusted = named.Trusted && args.Cwd == "" && len(args.Env) == 0
	operators := []layer{hostLayer(), listLayer(t.Env)}
	for _, e := range []Environment{usual, named} {
		if e.Trusted {
			operators = append(operators, e.layer())
		}
	}
	granted := operatorGrants(operators...)
	house, err := t.household(root, granted)
	if err != nil {
		return ExecContext{}, nil, fmt.Errorf("a home folder for commands: %w", err)
	}
	granted.toolchains = house.toolchains
	resolved.grants, resolved.household = &granted, house
	layers := []layer{hostLayer(), {env: house.env}, listLayer(t.Env), usual.layer(), named.layer(), {env: args.Env}}
	resolved.env, dropped = merge(layers, resolved.trusted)
	return resolved, dropped, nil
}

// opened is the folder of a tool, as it was at first: commands of others may lead its path elsewhere.
type opened struct {
	mu   sync.Mutex
	is   os.FileInfo // nil before the first look
	path string      // that paths of settings and of what is protected go by
}

// folder is that of the tool.
func (t *Tool) folder() *opened {
	t.opening.Do(func() {
		if t.opened == nil {
			t.opened = &opened{}
		}
	})
	return t.opened
}

// at is the path of a folder, links followed. It fails if that is another one than at first.
func (o *opened) at(dir string) (string, error) {
	path, err := realDir(dir)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.is == nil {
		o.is, o.path = info, path
	}
	switch {
	case !os.SameFile(o.is, info):
		return "", &sandbox.LedElsewhereError{Workspace: path}
	case path != o.path:
		return "", &sandbox.LedElsewhereError{Workspace: o.path, To: path}
	}
	return path, nil
}

// id is that of the folder; zero before the first look.
func (o *opened) id() sandbox.FolderID {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.is == nil {
		return sandbox.FolderID{}
	}
	return folderID(o.is)
}

// dirWithin resolves a directory below root, given relative to it or absolute, with links
// followed. It never falls back to another one.
func dirWithin(root, dir string) (string, error) {
	asked := dir
	if !filepath.IsAbs(asked) {
		asked = filepath.Join(root, asked)
	}
	resolved, err := realDir(asked)
	if err != nil {
		return "", fmt.Errorf("cwd %q: %w", dir, err)
	}
	if !beneath(resolved, root) {
		return "", fmt.Errorf("cwd %q is outside the workspace; name a directory within it", dir)
	}
	return resolved, nil
}

// realDir is the absolute path of a directory, links followed.
func realDir(dir string) (string, error) {
	abs, err := filepath.Abs(dir) // "" is the host's own directory
	if err != nil {
		return "", err
	}
	resolved, err := filepath.EvalSymlinks(abs)
	if errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("%s does not exist", abs)
	}
	if err != nil {
		return "", err
	}
	info, err := os.Stat(resolved)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is not a directory", abs)
	}
	return resolved, nil
}

// beneath reports whether path is dir or beneath it.
func beneath(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
