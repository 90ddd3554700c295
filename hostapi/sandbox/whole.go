package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// RootError is a policy that opens the root folder, or one in which the system shows the
// machine (/proc, /sys, /dev): its workspace, or an entry of Write, stands for all of the
// machine, and nothing of it could be kept from commands. It is also one with an entry of Read
// for /run or /dev, in which commands have folders of their own.
type RootError struct {
	// Place is the path, as the policy names it.
	Place string
	// Workspace says that it is the workspace, and not an entry of Write.
	Workspace bool
	// Read says that it is an entry of Read.
	Read bool
}

// Error says what to do next.
func (e *RootError) Error() string {
	named := e.Place
	if to, err := filepath.EvalSymlinks(e.Place); err == nil && to != filepath.Clean(e.Place) {
		named = e.Place + ", which is " + to + ","
	}
	if e.Workspace {
		return fmt.Sprintf("sandbox: %s is no workspace for commands: cd to a folder of their own (mkdir -p /srv/app && cd /srv/app), or name one with --workspace", named)
	}
	if e.Read {
		return fmt.Sprintf("sandbox: %s is not for commands to read as a whole, since they have folders of their own in it: in [sandbox] read, name the folders or files in it that they need", named)
	}
	return fmt.Sprintf("sandbox: %s is not for commands to write: in [sandbox] write, name the folders that they need", named)
}

// whole refuses a policy that opens all of the machine.
func (p Policy) whole() error {
	if p.off() {
		return nil
	}
	if isRoot(p.Workspace) || isMachine(p.Workspace) {
		return &RootError{Place: p.Workspace, Workspace: true}
	}
	for _, place := range p.Write {
		if isRoot(place) || isMachine(place) {
			return &RootError{Place: place}
		}
	}
	for _, place := range p.Read {
		if isOwn(place) {
			return &RootError{Place: place, Read: true}
		}
	}
	return nil
}

// isOwn reports whether a path is a folder in which a view has folders of its own, by whatever
// name.
func isOwn(path string) bool {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		path = resolved
	}
	path = filepath.Clean(path)
	return runtime.GOOS == "linux" && (path == "/run" || path == "/dev")
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

// isMachine reports whether a path is a folder in which Linux shows the machine, or lies in one.
// Single devices, and what else is in /dev, may be opened by name.
func isMachine(path string) bool {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		path = resolved
	}
	path = filepath.Clean(path)
	return runtime.GOOS == "linux" && (path == "/dev" || beneath(path, "/proc") || beneath(path, "/sys"))
}
