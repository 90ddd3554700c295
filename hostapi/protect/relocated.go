package protect

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Somebody may move or rename the workspace while commands run in it: they go on in the
// folder that they have. What they leave there is judged where it is then.

// mostMoves bounds how often one sweep goes after a workspace.
const mostMoves = 3

// elsewhereOnce notes that a result said so.
const elsewhereOnce = "\x00elsewhere"

// errElsewhere says that a folder has gone where nobody finds it.
var errElsewhere = errors.New("while commands ran it was moved or replaced, and it is not found")

// notChecked is what that means.
const notChecked = "what commands left in it was not checked"

// anchor notes which folder the workspace is.
func (g *Guard) anchor() {
	g.folder, _ = os.Lstat(g.workspace) // links are followed already
	g.apart = map[string]fs.FileInfo{}
	delete(g.told, elsewhereOnce)
}

// anchorApart notes which the folders outside the workspace are.
func (g *Guard) anchorApart(added asked) {
	for _, folder := range slices.Concat(added.further, added.git) {
		if info, err := os.Lstat(folder); err == nil && info.IsDir() {
			g.apart[folder] = info
		}
	}
}

// lost tells once of each folder outside the workspace that is no longer where commands began to
// write in it.
func (g *Guard) lost() (all []Away) {
	for _, folder := range slices.Sorted(maps.Keys(g.apart)) {
		if now, err := os.Lstat(folder); err != nil || !os.SameFile(now, g.apart[folder]) {
			delete(g.apart, folder)
			all = append(all, Away{Path: folder, Reason: notChecked, Kept: true, Err: errElsewhere})
		}
	}
	return all
}

// away reports whether the workspace's path is no longer the folder in which commands began.
func (g *Guard) away() bool {
	if g.folder == nil {
		return false
	}
	now, err := os.Lstat(g.workspace)
	return err != nil || !os.SameFile(now, g.folder)
}

// follow goes after a workspace that was moved. If it is not found, the result says so once.
func (g *Guard) follow() (all []Away) {
	if !g.away() {
		return nil
	}
	to := g.here.where()
	if now, err := os.Stat(to); err == nil && os.SameFile(now, g.folder) {
		g.relocate(to)
		return nil
	}
	if g.told[elsewhereOnce] {
		return nil
	}
	g.told[elsewhereOnce] = true
	return []Away{{Path: g.workspace, Reason: notChecked, Kept: true, Err: errElsewhere}}
}

// relocate takes all that is known of the workspace along to its new path.
func (g *Guard) relocate(to string) {
	from := g.workspace
	path := func(at string) string {
		if rel, err := filepath.Rel(from, at); err == nil && filepath.IsAbs(at) && filepath.IsLocal(rel) {
			return filepath.Join(to, rel)
		}
		return at
	}
	g.moved.Store(true)
	g.workspace = to
	for _, list := range []*[]string{
		&g.paths.Further, &g.paths.Settings, &g.paths.Homes, &g.asked.folders, &g.asked.further, &g.asked.git, &g.asked.bare,
	} {
		*list = each(*list, path)
	}
	g.paths.Trash, g.paths.Elsewhere = path(g.paths.Trash), renamed(g.paths.Elsewhere, path)
	g.seeker, g.farther, g.inGit, g.below, g.last, g.judged, g.read, g.listed = seeker{}, nil, nil, below{}, nil, nil, indexes{}, nil
	g.known, g.links, g.had, g.modes = renamed(g.known, path), renamed(g.links, path), renamed(g.had, path), renamed(g.modes, path)
	g.then, g.sought, g.near = renamed(g.then, path), renamed(g.sought, path), renamed(g.near, path)
	for at, c := range g.known {
		c.path, c.to, c.via, c.leads = path(c.path), path(c.to), path(c.via), path(c.leads)
		if c.home != nil {
			c.home = &home{path(c.home.workspace), each(c.home.tops, path), g.paths}
		}
		g.known[at] = c
	}
}

// Moved reports whether the workspace was moved while commands ran in it: the guard went
// after it, and commands that begin need another guard. It is safe for concurrent use.
func (g *Guard) Moved() bool { return g.moved.Load() }

// each is a list of other paths.
func each(list []string, path func(string) string) []string {
	if list == nil {
		return nil
	}
	all := make([]string, len(list))
	for i, at := range list {
		all[i] = path(at)
	}
	return all
}

// renamed is a map with other paths as keys.
func renamed[M ~map[string]V, V any](m M, path func(string) string) M {
	if m == nil {
		return nil
	}
	all := make(M, len(m))
	for at, value := range m {
		all[path(at)] = value
	}
	return all
}
