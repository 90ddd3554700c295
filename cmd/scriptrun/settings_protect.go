package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/scriptrun/scriptrun/hostapi/protect"
	"github.com/scriptrun/scriptrun/hostapi/shell"
	"github.com/scriptrun/scriptrun/scripttools"
)

// protected is what scripts and commands do not write in the workspace, beside
// what is never written: the tools, and the settings that are in force.
func (f *hostFlags) protected(s *settings) (protect.Paths, error) {
	p := protect.Paths{Except: s.unprotect}
	workspace, err := canonical(f.workspaceDir())
	if err != nil {
		return p, fmt.Errorf("workspace: %w", err)
	}
	further := append([]string{f.config, userSettings()}, s.files...)
	dir := f.toolsDir()
	headers := scripttools.Headers(dir)
	if f.tools != "" || len(headers) > 0 { // another folder of that name is nobody's tools
		further = append(further, dir.Path)
	}
	for _, path := range further {
		if path == "" {
			continue
		}
		if path, err = canonical(path); err == nil && liesIn(workspace, path) && path != workspace {
			p.Further = append(p.Further, path)
		}
	}
	p.Settings = f.settingsInForce(s, workspace)
	if log := s.audit.place(); log != "" {
		p.Settings = append(p.Settings, log)
	}
	if err := p.Check(workspace); err != nil {
		return p, s.blame(fmt.Errorf("sandbox.unprotect: %w", err))
	}
	return p, nil
}

// settingsInForce are those outside the workspace: the operator's, and what is trusted. A
// folder for them that is not there is made where commands may write, so that none of them
// makes it.
func (f *hostFlags) settingsInForce(s *settings, workspace string) (paths []string) {
	folders := []string{trustFolder()}
	if own := userSettings(); own != "" {
		folders = append(folders, filepath.Dir(own))
	}
	for _, folder := range folders {
		within := func(place string) bool { return liesIn(place, folder) }
		if folder != "" && s.sandbox.Profile != shell.ProfileOff && slices.ContainsFunc(s.sandbox.Write, within) {
			_ = os.MkdirAll(folder, 0o700) // where that fails, what commands make of it is put away
		}
	}
	for _, path := range append(folders, f.operatorSettings(), f.config) {
		if path == "" || liesIn(workspace, path) {
			continue
		}
		if path, err := filepath.Abs(path); err == nil && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}
