package protect

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/upward"
)

// Somebody may move a folder out of the workspace, or out of another folder that commands write
// in, while a command works in it: the command goes on there. So some folders are held by
// descriptors while commands run, which know where a folder is by now.

// mostMoored is how many folders are held: each takes a descriptor of the host while commands
// run, and some microseconds for each command.
const mostMoored = 100

// mooring is a folder that is held.
type mooring struct {
	path     string
	fd       int // negative once it is let go
	dev, ino uint64
}

// moor holds folders: those with repositories, those of a command, and the uppermost others.
func (g *Guard) moor(cwd string) {
	g.unmoor()
	tops := slices.Concat([]string{g.workspace}, g.asked.further)
	var folders []string
	for _, top := range tops {
		for at := range upward.Within(top, cwd) {
			folders = append(folders, at)
		}
	}
	folders = append(append(folders, g.asked.folders...), g.asked.bare...)
	depth := func(path string) int { return strings.Count(path, string(filepath.Separator)) }
	others := slices.DeleteFunc(slices.Collect(maps.Keys(g.sought)), func(path string) bool {
		return isAside(filepath.Base(path)) || isAside(filepath.Base(filepath.Dir(path)))
	})
	slices.SortFunc(others, func(a, b string) int { return cmp.Or(cmp.Compare(depth(a), depth(b)), cmp.Compare(a, b)) })
	seen := map[string]bool{}
	for _, path := range append(folders, others...) {
		if seen[path] || slices.Contains(tops, path) {
			continue // the guard has other means for those
		}
		if seen[path] = true; len(g.moored) == mostMoored {
			return
		}
		if m, ok := hold(path); ok {
			g.moored = append(g.moored, m)
		}
	}
}

// unmoor lets all folders go.
func (g *Guard) unmoor() {
	for _, m := range g.moored {
		m.release()
	}
	g.moored = nil
}

// adrift goes after held folders that were moved out of all folders in which commands may write.
// One that is found is judged like these from then on; of any other a result says so.
func (g *Guard) adrift() (all []Away) {
	if g.away() {
		return nil // the workspace itself is elsewhere
	}
	for i := range g.moored {
		m := g.moored[i] // as it is called by now
		if m.fd < 0 || m.isAt(m.path) {
			continue
		}
		from, to := m.path, m.where()
		found := m.isAt(to)
		if g.moored[i].path = to; !found {
			m.release()
			g.moored[i].fd = -1
		}
		switch in := func(top string) bool { return top != "" && filepath.IsLocal(relTo(top, to)) }; {
		case !found && strings.HasSuffix(to, removed):
		case !found:
			all = append(all, Away{Path: relTo(g.workspace, from), Reason: notChecked, Kept: true, Err: errElsewhere})
		case slices.ContainsFunc(append([]string{g.workspace, g.paths.Trash}, g.asked.outside()...), in):
		default:
			g.rename(func(at string) string { return moved(from, to, at) })
			g.asked.astray, _ = include(g.asked.astray, []string{to})
			g.last, g.judged = nil, nil
		}
	}
	return all
}

// removed is what the system adds to the path of a folder that is gone.
const removed = " (deleted)"

// moved is where a path is after a folder has moved.
func moved(from, to, at string) string {
	if rel, err := filepath.Rel(from, at); err == nil && filepath.IsAbs(at) && filepath.IsLocal(rel) {
		return filepath.Join(to, rel)
	}
	return at
}
