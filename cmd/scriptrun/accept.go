package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"github.com/scriptrun/scriptrun/hostapi/shell"
	"github.com/scriptrun/scriptrun/hostapi/upward"
	"github.com/scriptrun/scriptrun/scripttools"
)

// acceptable is the tools directory for loading tools that run: what these are made of outside it no
// command may change.
func (f *hostFlags) acceptable(h *host) scripttools.Dir { return f.acceptableIn(h, f.toolsDir().Path) }

// acceptableIn is acceptable for a directory that somebody named, which may be another one: what that
// one's tools are made of is not protected.
func (f *hostFlags) acceptableIn(h *host, path string) scripttools.Dir {
	dir := scripttools.Dir{Path: path, Workspace: f.workspace}
	if canonical(path) != canonical(f.toolsDir().Path) {
		return dir
	}
	if f.serves || h.settings.Sandbox.Profile != shell.ProfileOff { // without a sandbox nothing keeps commands from it
		dir.Accept = f.accept(h)
	}
	return dir
}

// loadFile loads a tool file; one of the tools directory is made of nothing that commands may change.
func (f *hostFlags) loadFile(ctx context.Context, h *host, file string) (*scripttools.ScriptToolSpec, error) {
	spec, err := scripttools.LoadFile(ctx, h.runner, file, f.workspace)
	if err == nil {
		err = f.acceptableIn(h, filepath.Dir(file)).Accepts(spec)
	}
	if err != nil {
		return nil, err
	}
	return spec, nil
}

// accept refuses files of which tools are made that commands may change: outside the directory those
// that were not known when the host began, or that a link on the way leads to which commands may turn or
// which was turned; and everywhere those that a command of another process may just have made.
func (f *hostFlags) accept(h *host) func(string) error {
	var mu sync.Mutex
	led := map[string]string{} // where links lead, as they were seen first
	turned := func(links []string) error {
		mu.Lock()
		defer mu.Unlock()
		for _, link := range links {
			to, err := os.Readlink(link)
			if before, seen := led[link]; seen && before != to {
				return fmt.Errorf("the link %s leads to %s, and led to %s before; start the server again if you turned it", link, to, before)
			}
			if err == nil {
				led[link] = to
			}
		}
		return nil
	}
	everywhere := sandbox.NewPlaces("/")
	directory := canonical(f.toolsDir().Path)
	places, known := f.writable(h.settings), map[string]bool{}
	for _, further := range h.protected.Further {
		known[further] = true
	}
	fixed := func(path string) bool {
		if !places.Hold(path) {
			return true
		}
		for folder := range upward.From(path) {
			if known[folder] {
				return true
			}
		}
		return false
	}
	// No command turns a link on the way to what is protected.
	onTheWay := sync.OnceValue(func() (links []string) {
		for _, further := range h.protected.Further {
			links = append(links, places.LinksOn(further)...)
		}
		return links
	})
	held := func(link string) bool { return fixed(link) || slices.Contains(onTheWay(), link) }
	advice := "write its import plainly, as in import x from \"./x.js\", or move it into the directory of tools"
	if f.serves {
		advice = "if it was not there when the server began, start the server again; otherwise " + advice
	}
	return func(file string) error {
		to, all, ok := everywhere.Way(file) // one look: whoever writes meanwhile makes two unlike each other
		if !ok {
			return errors.New("it is not there any more")
		}
		if !liesIn(to, directory) { // there no command of this process writes
			for _, link := range all {
				if places.Hold(filepath.Dir(link)) && !held(link) { // a place may be a link itself, and stays
					return fmt.Errorf("commands may turn the link %s; %s", link, advice)
				}
			}
			if !fixed(to) {
				return fmt.Errorf("commands may change %s; %s", to, advice)
			}
		}
		if err := turned(all); err != nil {
			return err
		}
		for _, path := range append(all, to) {
			if h.underway.doubts(path) {
				return fmt.Errorf("%s came or changed while a command of another scriptrun is under way, which may have made it; it counts when that has ended", path)
			}
		}
		return nil
	}
}

func liesIn(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}
