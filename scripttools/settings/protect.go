package settings

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/protect"
	"github.com/scriptrun/scriptrun/hostapi/shell"
	"github.com/scriptrun/scriptrun/hostapi/upward"
)

// Protected returns the paths that scripts and commands must not write, besides those
// that [protect] always protects: the settings in force, the audit log, and further
// files and folders, such as those of the tools. A further path need not exist.
func (s *Settings) Protected(further ...string) (protect.Paths, error) {
	p := protect.Paths{Except: s.unprotect}
	workspace, err := canonical(s.sources.Workspace)
	if err != nil {
		return p, fmt.Errorf("workspace: %w", err)
	}
	for _, path := range append([]string{s.sources.Only, s.sources.Operator}, s.Files...) {
		if path != "" && isThere(path) && s.inWorkspace(workspace, path) { // the others are Settings
			s.further(&p, workspace, path)
		}
	}
	for _, path := range further {
		s.further(&p, workspace, path)
	}
	p.Settings = s.outside(workspace)
	if s.AuditFile != "" {
		p.Settings = append(p.Settings, s.auditPlaces(workspace)...)
	}
	if err := p.Check(workspace); err != nil {
		return p, s.Blame(fmt.Errorf("sandbox.unprotect: %w", err))
	}
	return p, nil
}

// further adds a path as it is named, because of the links on its way, and where they lead. An
// exception for one of the two is one for both.
func (s *Settings) further(p *protect.Paths, workspace, path string) {
	named, err := s.named(workspace, path)
	if err != nil {
		return
	}
	target, err := filepath.EvalSymlinks(named)
	if errors.Is(err, fs.ErrNotExist) { // a link that leads nowhere, or what may come, maybe with its folders
		for above := range upward.From(filepath.Dir(named)) {
			if target, err = filepath.EvalSymlinks(above); err == nil {
				target = filepath.Join(target, strings.TrimPrefix(named, above))
			}
			if !errors.Is(err, fs.ErrNotExist) {
				break
			}
		}
	}
	if err != nil || target == workspace {
		return
	}
	p.Further = append(p.Further, target)
	names := []string{relative(workspace, target)}
	if named != target {
		p.Further, names = append(p.Further, named), append(names, relative(workspace, named))
	}
	if slices.ContainsFunc(names, p.Excepts) {
		p.Except = slices.Concat(p.Except, names)
	}
}

// named is a path, absolute. What is named in the workspace begins with the workspace's own path.
func (s *Settings) named(workspace, path string) (string, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	top, err := filepath.Abs(s.sources.Workspace)
	if rel, relErr := filepath.Rel(top, absolute); err == nil && relErr == nil && filepath.IsLocal(rel) {
		absolute = filepath.Join(workspace, rel)
	}
	return absolute, err
}

// inWorkspace reports whether a path lies in the workspace, by its name or with links followed.
func (s *Settings) inWorkspace(workspace, path string) bool {
	named, err := s.named(workspace, path)
	return err != nil || filepath.IsLocal(relative(workspace, named)) || liesIn(workspace, path)
}

// relative is a path as exceptions name it.
func relative(workspace, path string) string {
	rel, err := filepath.Rel(workspace, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

// outside returns the settings outside the workspace: the operator's, and the store of
// trust. If a folder for them is missing where commands may write, outside makes it, so
// that no command can.
func (s *Settings) outside(workspace string) (paths []string) {
	folders := []string{string(s.sources.Trust)}
	if own := filepath.Dir(s.sources.Operator); s.sources.Operator != "" && !(isThere(own) && liesIn(own, workspace)) { // otherwise only the file is protected
		folders = append(folders, own)
	}
	for _, folder := range folders {
		within := func(place string) bool { return liesIn(place, folder) }
		if folder != "" && s.Sandbox.Profile != shell.ProfileOff && slices.ContainsFunc(s.Sandbox.Write, within) {
			_ = os.MkdirAll(folder, 0o700) // if this fails, a folder that commands make there is moved away
		}
	}
	for _, path := range append(folders, cmp.Or(s.sources.Only, s.sources.Operator)) {
		if path == "" || liesIn(workspace, path) {
			continue
		}
		if path, err := filepath.Abs(path); err == nil && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// auditPlaces are the log, by the path by which commands and tools would reach it, and its
// folder, unless commands are meant to write there: a folder in which the workspace or a
// place of sandbox.write lies.
func (s *Settings) auditPlaces(workspace string) []string {
	folder, err := canonical(filepath.Dir(s.AuditFile))
	if err != nil {
		return []string{s.AuditFile}
	}
	file := filepath.Join(folder, filepath.Base(s.AuditFile))
	written := func(place string) bool { return liesIn(folder, place) }
	if written(workspace) || slices.ContainsFunc(s.Sandbox.Write, written) {
		return []string{file}
	}
	return []string{folder, file}
}
