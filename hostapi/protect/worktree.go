package protect

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// With core.worktree a repository says where its files are, and git then works on
// whatever is in that folder. So its target is judged, and protected.

func isWorktree(s setting) bool { return s.section == "core" && s.name == "worktree" }

// worktreeOf is the target of core.worktree in a configuration.
func worktreeOf(config, value string) string {
	if filepath.IsAbs(value) {
		return value
	}
	return filepath.Dir(config) + string(filepath.Separator) + value // not cleaned: the name before ".." may be a link
}

// worktree follows core.worktree: no link may appear on its way, and the folder stays.
func (l *look) worktree(config, value string) {
	path := worktreeOf(config, value)
	if _, _, err := l.walk(path, func(hop) {}); err != nil {
		return
	}
	if to := l.lead(path, ofGit("config"), config, gitTop); l.inside(to) && l.stamp(to) {
		l.stay(to)
	}
}

// home is where repositories that commands make may have their files.
type home struct {
	workspace string
	tops      []string // the workspace, and further folders that commands write in
	paths     Paths
}

// worksNear reports whether a configuration leads only to files that commands may write, except
// where an earlier one said the same.
func (c candidate) worksNear(e *effort, text, before string) bool {
	known := settingsOf(before)
	for _, s := range settingsOf(text) {
		if isWorktree(s) && !slices.Contains(known, s) && (c.home == nil || !c.home.holds(e, c.path, s.value)) {
			return false
		}
		if namesProgram(s) && !slices.Contains(known, s) {
			return false
		}
	}
	return true
}

// namesProgram reports whether a setting names a remote by the program that git starts for it.
func namesProgram(s setting) bool {
	ofRemote := s.section == "remote" && (s.name == "url" || s.name == "pushurl")
	ofBranch := s.section == "branch" && (s.name == "remote" || s.name == "pushremote")
	program, _, ok := strings.Cut(s.value, "::")
	return ok && !strings.Contains(program, "/") && (ofRemote || ofBranch || s.section == "submodule" && s.name == "url")
}

// holds reports whether core.worktree leads to a folder of no other repository: it lies where
// commands write and is not protected, and a .git there leads back.
func (h *home) holds(e *effort, config, value string) bool {
	to, rest, err := e.walk(worktreeOf(config, value), func(hop) {})
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) || slices.Contains(rest, "..") {
			return false
		}
		to = filepath.Join(to, filepath.Join(rest...))
	}
	for _, top := range h.tops {
		if !filepath.IsLocal(relTo(top, to)) {
			continue
		}
		if _, protected := h.paths.Match(top, to); protected || ownFolder(to) {
			return false
		}
		there, err := e.gitOf(to)
		if errors.Is(err, fs.ErrNotExist) {
			return to != top
		}
		here, no := e.resolve(filepath.Dir(config))
		return err == nil && no == nil && there == here
	}
	return false
}

// gitOf is the repository's own folder that .git in a folder is, or leads to.
func (e *effort) gitOf(dir string) (string, error) {
	git := filepath.Join(dir, gitFolder)
	info, err := os.Lstat(git)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return e.resolve(git)
	}
	if to, ok := e.leadsTo(git); ok {
		return to, nil
	}
	return "", errNoWay
}

var errNoWay = errors.New("it leads nowhere")
