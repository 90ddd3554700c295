package main

import (
	"log/slog"
	"maps"
	"path/filepath"
	"slices"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"github.com/scriptrun/scriptrun/hostapi/upward"
	"github.com/scriptrun/scriptrun/scripttools"
)

// telling tells the user's other processes what a server's tools are made of, and again where that changes:
// what is served may also be made of files that nobody found before they were loaded. What was told once is
// told until the server ends: a file may be away for a moment.
type telling struct {
	folder string
	dir    scripttools.Dir
	always []string // is told whatever the tools are
	log    *slog.Logger

	paths, links map[string]bool // all that was to be told
	told         int             // how many of them were
	end          func()          // nil before it is told
}

// tell tells of the tools of a catalog, or of what is always told if that is nil.
func (t *telling) tell(catalog *scripttools.Catalog) {
	if t.paths == nil {
		t.paths, t.links = map[string]bool{}, map[string]bool{}
		for _, path := range t.always {
			t.paths[path] = true
		}
	}
	everywhere := sandbox.NewPlaces("/")
	add := func(path string) {
		path, err := filepath.Abs(path)
		if err != nil {
			return
		}
		for _, link := range everywhere.LinksOn(path) {
			t.links[link] = true
		}
		if path = canonical(path); !liesInAny(path, t.paths) {
			t.paths[path] = true
		}
	}
	for spec := range catalog.All() {
		for _, file := range spec.Files() {
			add(filepath.FromSlash(file))
		}
	}
	if catalog.Len() > 0 { // also files that are not there, and would come before those that are
		for _, path := range scripttools.Outside(t.dir) {
			add(path)
		}
	}
	if all := len(t.paths) + len(t.links); t.end != nil && all == t.told {
		return
	}
	_, end, err := sayServed(t.folder, slices.Sorted(maps.Keys(t.paths)), slices.Sorted(maps.Keys(t.links)), nil)
	if err != nil {
		t.log.Warn("other processes of scriptrun cannot be told what is served; their commands may write there", "error", err)
		return
	}
	t.stop()
	t.told, t.end = len(t.paths)+len(t.links), end
}

func liesInAny(path string, known map[string]bool) bool {
	for at := range upward.From(path) {
		if known[at] {
			return true
		}
	}
	return false
}

// stop tells it no longer.
func (t *telling) stop() {
	if t.end != nil {
		t.end()
	}
}
