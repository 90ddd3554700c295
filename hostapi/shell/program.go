package shell

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

var errNotOnPath = errors.New("no such program on the command's PATH")

// program finds the executable of a command, by the command's PATH and not the
// host's, and its arguments, name first.
func (c Command) program() (path string, argv []string, err error) {
	if c.Line == "" {
		path, err = lookPath(c.Argv[0], c.Context)
		return path, c.Argv, err
	}
	// -- keeps a line that begins with a dash from being read as options.
	for _, shell := range []string{"/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "bash", "/bin/sh", "sh"} {
		if path, err = lookPath(shell, c.Context); err == nil {
			return path, []string{filepath.Base(path), "-c", "--", c.Line}, nil
		}
	}
	return "", nil, &StartError{Program: "bash", Err: os.ErrNotExist}
}

// lookPath finds a program as a shell in the command's directory would, but skips
// relative entries of PATH.
func lookPath(name string, in ExecContext) (string, error) {
	if filepath.Base(name) != name {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(in.Cwd(), path)
		}
		return path, executable(path, name)
	}
	path, _ := in.Lookup("PATH")
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if found := filepath.Join(dir, name); executable(found, name) == nil {
			return found, nil
		}
	}
	return "", &StartError{Program: name, Err: errNotOnPath}
}

func executable(path, name string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return &StartError{Program: name, Err: err}
	case info.IsDir():
		return &StartError{Program: name, Err: syscall.EISDIR}
	case info.Mode()&0o111 == 0:
		return &StartError{Program: name, Err: os.ErrPermission}
	}
	return nil
}
