package protect

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/scriptrun/scriptrun/hostapi/upward"
)

// mostKept is how many files and folders are protected one by one for a command: each is a
// mount of the sandbox, which takes a third of a millisecond.
const mostKept = 1000

// mostWholes limits the search for folders that stand for many protected paths.
const mostWholes = 16

// kept is the paths that a visit holds or pins; true for those pinned.
type kept struct {
	paths  map[string]bool
	tops   []string        // folders that commands write in
	wholes map[string]bool // folders that are held instead of the paths in them
}

// bounded holds folders as a whole if there are too many paths to hold one by one: first the
// repositories' own folders, then all of the repositories that cwd is not in. If that is not
// enough, it takes whichever folders hold many paths.
func (k *kept) bounded(cwd string) {
	if len(k.paths) <= mostKept {
		return
	}
	maps.DeleteFunc(k.paths, func(path string, _ bool) bool { return !k.below(path) && !slices.Contains(k.tops, path) }) // nobody writes there
	var git, worked []string
	for _, path := range slices.Backward(slices.Sorted(maps.Keys(k.paths))) {
		top := filepath.Dir(path)
		if filepath.Base(path) != gitFolder || !k.below(path) || filepath.IsLocal(relTo(top, cwd)) {
			continue
		}
		if git = append(git, path); k.below(top) {
			worked = append(worked, top)
		}
	}
	finer := kept{maps.Clone(k.paths), k.tops, map[string]bool{}}
	finer.asNeeded(git)
	finer.asNeeded(worked)
	if len(finer.paths) <= mostKept {
		*k = finer
		return
	}
	for range mostWholes {
		folder := k.heavy()
		if folder == "" {
			break
		}
		k.hold(folder)
	}
	for _, top := range k.tops {
		if len(k.paths) > mostKept {
			k.hold(top)
		}
	}
}

// below reports whether a path lies in a folder that commands may write in.
func (k *kept) below(path string) bool {
	return slices.ContainsFunc(k.tops, func(top string) bool { return path != top && filepath.IsLocal(relTo(top, path)) })
}

// around calls folder with a path and each folder around it up to one of the tops, until it
// returns false.
func (k *kept) around(path string, folder func(string) bool) {
	for at := range upward.From(path) {
		if !k.below(at) || !folder(at) {
			return
		}
	}
}

// weights counts the kept paths in each folder.
func (k *kept) weights() map[string]int {
	all := map[string]int{}
	for path := range k.paths {
		k.around(path, func(folder string) bool { all[folder]++; return true })
	}
	return all
}

// asNeeded holds as many of the folders as are needed.
func (k *kept) asNeeded(folders []string) {
	weights, left := k.weights(), len(k.paths)
	for i, folder := range folders {
		if left <= mostKept {
			folders = folders[:i]
			break
		}
		left -= weights[folder] - 1
	}
	k.hold(folders...)
}

// heavy is the smallest folder that is enough if it is held, or else the one with most paths.
func (k *kept) heavy() (found string) {
	weights, excess := k.weights(), len(k.paths)-mostKept
	if excess <= 0 {
		return ""
	}
	for _, folder := range slices.Sorted(maps.Keys(weights)) {
		here, best := weights[folder]-1, weights[found]-1
		switch {
		case here <= 0:
		case best >= excess && here >= excess && here <= best: // the deeper one of two that weigh the same
			found = folder
		case best < excess && here > best:
			found = folder
		}
	}
	return found
}

// hold keeps folders as a whole.
func (k *kept) hold(folders ...string) {
	if len(folders) == 0 {
		return
	}
	for _, folder := range folders {
		k.wholes[folder] = true
	}
	isWhole := func(path string) (is bool) {
		k.around(path, func(folder string) bool { is = k.wholes[folder]; return !is })
		return is || slices.ContainsFunc(k.tops, func(top string) bool { return k.wholes[top] && filepath.IsLocal(relTo(top, path)) })
	}
	maps.DeleteFunc(k.paths, func(path string, _ bool) bool { return isWhole(path) })
	for folder := range k.wholes {
		if parent := filepath.Dir(folder); isWhole(parent) {
			delete(k.wholes, folder)
		}
	}
	for folder := range k.wholes {
		k.paths[folder] = false
	}
}

// wholes reports folders that are held as a whole, once.
func (g *Guard) wholes(folders []string) []Away {
	const once = "\x00wholes"
	if len(folders) == 0 || g.told[once] {
		return nil
	}
	g.told[once] = true
	away := Away{Path: relTo(g.workspace, folders[0]), Whole: true, Reason: fmt.Sprintf("there are more than %d", mostKept)}
	if n := len(folders) - 1; n > 0 {
		away.Reason += fmt.Sprintf(", and %d other folders are read-only too", n)
	}
	if !slices.ContainsFunc(folders, func(folder string) bool { // an exception for .git would not suffice
		return filepath.Base(folder) != gitFolder && !isThere(filepath.Join(folder, gitFolder))
	}) {
		away.except = gitFolder
	}
	return []Away{away}
}

// names are the folders that are held as a whole, the shortest first.
func (k *kept) names() []string {
	return slices.SortedFunc(maps.Keys(k.wholes), func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
}
