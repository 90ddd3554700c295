package shell

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// resolve is the one place that decides where a command runs and with what.
// dropped are the variables that were set and do not pass.
func (t *Tool) resolve(args arguments) (resolved ExecContext, dropped []string, err error) {
	root, err := realDir(t.Dir)
	if err != nil {
		return ExecContext{}, nil, fmt.Errorf("the workspace: %w", err)
	}
	cwd := root
	if args.Cwd != "" {
		asked := args.Cwd
		if !filepath.IsAbs(asked) {
			asked = filepath.Join(root, asked)
		}
		if cwd, err = realDir(asked); err != nil {
			return ExecContext{}, nil, fmt.Errorf("cwd %q: %w", args.Cwd, err)
		}
		if rel, err := filepath.Rel(root, cwd); err != nil || !filepath.IsLocal(rel) {
			return ExecContext{}, nil, fmt.Errorf("cwd %q is outside the workspace; name a directory within it", args.Cwd)
		}
	}
	env, dropped := environment(t.Env, args.Env)
	return ExecContext{cwd: cwd, env: env}, dropped, nil
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
