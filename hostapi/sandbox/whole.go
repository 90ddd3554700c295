package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
)

// RootError is a policy that opens the root folder: its workspace, or an entry of Write,
// stands for all of the machine, and nothing of it could be kept from commands.
type RootError struct {
	// Place is the path, as the policy names it.
	Place string
	// Workspace says that it is the workspace, and not an entry of Write.
	Workspace bool
}

// Error says what to do next.
func (e *RootError) Error() string {
	named := "/"
	if filepath.Clean(e.Place) != named {
		named = e.Place + ", which is /,"
	}
	if e.Workspace {
		return fmt.Sprintf("sandbox: %s is no workspace for commands: cd to a folder of their own (mkdir -p /srv/app && cd /srv/app), or name one with --workspace", named)
	}
	return fmt.Sprintf("sandbox: %s is not for commands to write: in [sandbox] write, name the folders that they need", named)
}

// whole refuses a policy that opens the root folder.
func (p Policy) whole() error {
	if p.off() {
		return nil
	}
	if isRoot(p.Workspace) {
		return &RootError{Place: p.Workspace, Workspace: true}
	}
	for _, place := range p.Write {
		if isRoot(place) {
			return &RootError{Place: place}
		}
	}
	return nil
}

// isRoot reports whether a path is the root folder, by whatever name.
func isRoot(path string) bool {
	if !filepath.IsAbs(path) {
		return false
	}
	if filepath.Clean(path) == "/" {
		return true
	}
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	top, err := os.Stat("/")
	return err == nil && os.SameFile(info, top)
}
