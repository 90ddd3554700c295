package main

import (
	"fmt"

	"github.com/scriptrun/scriptrun/hostapi/protect"
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
	if err := p.Check(workspace); err != nil {
		return p, s.blame(fmt.Errorf("sandbox.unprotect: %w", err))
	}
	return p, nil
}
