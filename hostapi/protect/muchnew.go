package protect

import (
	"maps"
	"path/filepath"
	"slices"

	"github.com/scriptrun/scriptrun/hostapi/upward"
)

// If commands make more in a repository's own folder than can be checked, the new entries
// go to the trash, and the old ones stay.

// muchNew is how many new names make a folder a heavy one.
const muchNew = 1000

// fewNew is how many entries are put away one by one.
const fewNew = 16

const muchReason = "there is more than can be checked, and git would run or write what it names"

// uncrowd makes room if there is more than can be checked. If that was so before, it says so
// once.
func (g *Guard) uncrowd(e *effort, l *look) (all []Away) {
	const once = "\x00crowded"
	switch {
	case !g.crowded:
		for _, least := range []int{muchNew, 0} {
			if all = g.putNew(e, l, "", least); len(all) > 0 {
				break
			}
		}
	case !g.told[once]:
		g.told[once] = true
		all = []Away{{Path: g.workspace, Reason: "there are more files in .git than can be checked for links, and " + writesReason, Kept: true, Err: errEffort}}
	}
	return all
}

// putNew puts away the new entries below a folder, or in all repositories if top is empty, of
// folders with at least that many names.
func (g *Guard) putNew(e *effort, l *look, top string, least int) (all []Away) {
	weights := map[string]int{}
	for dir, here := range l.listings {
		for at := range upward.From(dir) {
			if l.listings[at] == nil {
				break
			}
			weights[at] += 1 + len(here.names)
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(l.listings)) {
		was, here := g.then[dir], l.listings[dir]
		if was == nil || !was.whole || top != "" && !filepath.IsLocal(relTo(top, dir)) || !e.inTimeAt(dir) {
			continue
		}
		old, fresh := map[string]bool{}, []string{}
		for _, name := range was.names {
			old[name] = true
		}
		for _, name := range here.names {
			if !old[name] && (filepath.Base(dir) != "objects" || !isFan(name)) { // a commit is not undone
				fresh = append(fresh, name)
			}
		}
		if len(fresh) < max(least, fewNew) {
			fresh = slices.DeleteFunc(fresh, func(name string) bool { return weights[filepath.Join(dir, name)] < least })
		}
		switch {
		case len(fresh) > fewNew:
			all = append(all, g.putAwaySeveral(dir, fresh))
		default:
			for _, name := range fresh {
				all = append(all, g.putAway(candidate{path: filepath.Join(dir, name), why: why{muchReason, ofGit("").except}}, candidate{}))
			}
		}
	}
	return all
}
