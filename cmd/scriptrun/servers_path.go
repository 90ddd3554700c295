package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// written are the places that commands may write under any profile: a program there is
// not the operator's.
func (h *host) written() sandbox.Places {
	dir, err := filepath.Abs(h.shell.Dir)
	if err != nil {
		dir = "" // NewPlaces skips it
	}
	return sandbox.NewPlaces(append([]string{dir, h.shell.Sandbox.Homes}, h.shell.Sandbox.Write...)...)
}

// lookup finds a variable for a server. PATH lacks the folders where commands may
// write, because a server finds other programs on it, as npx finds node.
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
