package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// written are the places that commands may write, whatever the profile of the next
// one: what lies there is no program of the operator's.
func (h *host) written() sandbox.Places {
	dir, err := filepath.Abs(h.shell.Dir)
	if err != nil {
		dir = "" // then there is no such folder
	}
	return sandbox.NewPlaces(append([]string{dir, h.shell.Sandbox.Homes}, h.shell.Sandbox.Write...)...)
}

// lookup finds a variable that a server is told of: PATH without the folders where
// commands may write, since a server finds others on it, as npx finds node.
func (h *host) lookup(name string) (string, bool) {
	value, ok := os.LookupEnv(name)
	if name != "PATH" || !ok {
		return value, ok
	}
	places := h.written()
	var kept []string
	for _, dir := range filepath.SplitList(value) {
		if to, ok := places.Follow(dir); filepath.IsAbs(dir) && ok && !places.Hold(dir) && !places.Hold(to) {
			kept = append(kept, dir)
		}
	}
	return strings.Join(kept, string(filepath.ListSeparator)), true
}
