package protect

import (
	"maps"
	"path/filepath"
	"slices"
)

// seekFarther adds the repositories in further folders. Each folder has its own bounds, so that
// a large one takes nothing from the workspace.
func (g *Guard) seekFarther(to asked, further []string) asked {
	g.shut.tops = slices.Concat([]string{g.workspace}, further)
	found := map[string]*seeker{}
	for _, folder := range further {
		s := g.farther[folder]
		if s == nil {
			s = &seeker{}
		}
		s.seek(folder, &g.shut)
		found[folder] = s
		to.folders, _ = include(to.folders, s.repos)
		to.bare, _ = include(to.bare, s.bare)
	}
	if g.farther == nil {
		g.farther = map[string]*seeker{}
	}
	maps.Copy(g.farther, found)
	return to
}

// allSought is what was read of the workspace and of further folders.
func (g *Guard) allSought() sought {
	all := maps.Clone(g.seeker.read)
	for _, folder := range g.asked.further {
		if s := g.farther[folder]; s != nil {
			maps.Copy(all, s.read)
		}
	}
	return all
}

// topOf is the folder given to commands in which a path lies.
func (g *Guard) topOf(path string) string {
	if filepath.IsLocal(relTo(g.workspace, path)) {
		return g.workspace
	}
	for _, folder := range slices.Concat(g.asked.further, g.asked.git) {
		if filepath.IsLocal(relTo(folder, path)) {
			return folder
		}
	}
	return g.workspace
}
