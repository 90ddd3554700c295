package mcptools

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Places are the folders that commands may write to; see package sandbox.
type Places interface {
	// Hold reports whether a path, with its links followed, lies in one.
	Hold(path string) bool
	// Follow follows the links of an absolute path. It fails when one of them
	// lies in a place, and when the path does not exist.
	Follow(path string) (resolved string, ok bool)
}

// find is the path of the program. A program that a command could have put on PATH is
// not used: it would run outside of the sandbox. A path in Command is used as it is.
func (s Server) find() (string, error) {
	name := s.Command[0]
	if s.Path == "" || filepath.Base(name) != name {
		return name, nil
	}
	var passed []string
	for _, dir := range filepath.SplitList(s.Path) {
		if !filepath.IsAbs(dir) {
			continue // it depends on the current directory
		}
		path, err := exec.LookPath(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		if s.Avoid == nil || s.keeps(path) {
			return path, nil
		}
		if !slices.Contains(passed, path) {
			passed = append(passed, path)
		}
	}
	if len(passed) == 0 {
		return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
	}
	return "", fmt.Errorf("%s is on PATH only where commands may write, which does not count (%s); install it elsewhere, or give its path if you mean it",
		name, strings.Join(passed, ", "))
}

func (s Server) keeps(path string) bool {
	to, ok := s.Avoid.Follow(path)
	return ok && !s.Avoid.Hold(path) && !s.Avoid.Hold(to)
}
