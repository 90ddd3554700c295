package main

import (
	"log/slog"
	"path/filepath"
	"slices"

	"github.com/scriptrun/scriptrun/hostapi/upward"
	"github.com/scriptrun/scriptrun/scripttools"
)

// telling tells the user's other processes what a server's tools are made of, and again where that changes:
// what is served may also be made of files that nobody found before they were loaded.
type telling struct {
	folder string
	always []string // is told whatever the tools are
	log    *slog.Logger

	told []string
	end  func() // nil before it is told
}

// tell tells of the tools of a catalog, or of what is always told if that is nil.
func (t *telling) tell(catalog *scripttools.Catalog) {
	paths, known := slices.Clone(t.always), map[string]bool{}
	for _, path := range paths {
		known[path] = true
	}
	for spec := range catalog.All() {
		for _, file := range spec.Files() {
			if file = canonical(filepath.FromSlash(file)); !liesInAny(file, known) {
				paths = append(paths, file)
			}
		}
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	if t.end != nil && slices.Equal(paths, t.told) {
		return
	}
	_, end, err := sayServed(t.folder, paths, nil)
	if err != nil {
		t.log.Warn("other processes of scriptrun cannot be told what is served; their commands may write there", "error", err)
		return
	}
	t.stop()
	t.told, t.end = paths, end
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
