package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/scriptrun/scriptrun/hostapi/shell"
	"github.com/scriptrun/scriptrun/scripttools"
)

// acceptable is the tools directory for loading tools that run: what these are made of outside it no
// command may change.
func (f *hostFlags) acceptable(h *host) scripttools.Dir {
	dir := f.toolsDir()
	if f.serves || h.settings.Sandbox.Profile != shell.ProfileOff { // without a sandbox nothing keeps commands from it
		dir.Accept = f.accept(h)
	}
	return dir
}

// accept refuses files outside the directory, of which tools are made, that commands may change: those
// that were not known when the host began, or that a link on the way leads to which commands may turn.
func (f *hostFlags) accept(h *host) func(string) error {
	places := f.writable(h.settings)
	known := func(within func(further string) bool) bool { return slices.ContainsFunc(h.protected.Further, within) }
	fixed := func(path string) bool {
		return !places.Hold(path) || known(func(further string) bool { return liesIn(path, further) })
	}
	// No command turns a link on the way to what is protected.
	held := func(link string) bool {
		return fixed(link) || known(func(further string) bool { return liesIn(further, link) })
	}
	advice := "write its import plainly, as in import x from \"./x.js\", or move it into the directory of tools"
	if f.serves {
		advice = "if it was not there when the server began, start the server again; otherwise " + advice
	}
	return func(file string) error {
		to, links, ok := places.Way(file)
		if !ok {
			return errors.New("it is not there any more")
		}
		if i := slices.IndexFunc(links, func(link string) bool { return !held(link) }); i >= 0 {
			return fmt.Errorf("commands may turn the link %s; %s", links[i], advice)
		}
		if !fixed(to) {
			return fmt.Errorf("commands may change %s; %s", to, advice)
		}
		return nil
	}
}

func liesIn(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}
