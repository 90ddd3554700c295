package protect

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Guard looks after what is protected in one workspace while commands run in it.
// It is safe for concurrent use. It knows only what its commands could have
// done: what is made while none runs is somebody else's.
type Guard struct {
	workspace string
	paths     Paths

	mu      sync.Mutex
	running int
	folders []string // with repositories, in the workspace
	further []string // outside the workspace
	git     []string // repositories' own folders, outside the workspace
	nested  []string // folders with repositories, some levels below the workspace
	sought  time.Time
	last    *look
	known   map[string]candidate // what was there before the commands that run
	links   map[string]bool      // folders that git went into by itself then
	read    indexes
}

// NewGuard returns the guard of a workspace: an absolute path with links
// followed.
func NewGuard(workspace string, paths Paths) *Guard {
	return &Guard{workspace: workspace, paths: paths, read: indexes{}}
}

// Visit is one command in a guarded workspace.
type Visit struct {
	// Held are files and folders that commands must not write, absolute and with
	// links followed; all exist.
	Held []string
	// Pins are folders in which commands may write and which they must neither
	// move nor replace; parents come first.
	Pins []string
	// Key changes when one of Held is another file than before.
	Key string

	guard *Guard
	came  []Away
}

// Folders are what a command may write in.
type Folders struct {
	// Cwd is where it runs, in the workspace.
	Cwd string
	// Further are folders outside the workspace, resolved.
	Further []string
	// Git are repositories' own folders outside the workspace, resolved.
	Git []string
}

// Enter tells of a command that is about to start. The caller calls
// [Visit.Leave].
func (g *Guard) Enter(where Folders) *Visit {
	g.mu.Lock()
	defer g.mu.Unlock()
	var came []Away
	if g.running > 0 {
		came = g.sweep()
	}
	v := g.visit(where)
	v.came = came
	g.running++
	return v
}

// Peek is what Enter would find, without a command.
func (g *Guard) Peek(where Folders) *Visit {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.visit(where)
}

func (g *Guard) visit(where Folders) *Visit {
	if g.running == 0 {
		if time.Since(g.sought) > seekAgain {
			g.nested, g.sought = seek(g.workspace), time.Now()
		}
		g.folders, g.further, g.git = slices.Clone(g.nested), nil, nil
	}
	grown := include(&g.folders, around(g.workspace, where.Cwd))
	grown = include(&g.further, where.Further) || grown
	grown = include(&g.git, where.Git) || grown
	l := g.look(false)
	if g.running == 0 || grown {
		g.learn(l)
	}
	v := &Visit{guard: g}
	v.hold(l)
	return v
}

// include adds folders to a list, and reports whether one is new.
func include(list *[]string, folders []string) (grown bool) {
	for _, folder := range folders {
		if !slices.Contains(*list, folder) {
			*list, grown = append(*list, folder), true
		}
	}
	return grown
}

// look looks again if it has to.
func (g *Guard) look(anew bool) *look {
	asked := slices.Concat(g.folders, g.further, g.git)
	if !anew && g.last != nil && slices.Equal(g.last.asked, asked) && g.last.stillHolds() {
		return g.last
	}
	l := newLook(g.workspace, g.paths, g.read)
	l.asked = asked
	l.folder(g.workspace)
	for _, further := range g.paths.Further {
		if rel := relTo(g.workspace, further); filepath.IsLocal(rel) && !g.paths.Excepts(rel) {
			l.stamp(filepath.Dir(further))
			l.add(further, furtherReason, notGit)
			l.pinBetween(further)
		}
	}
	for _, folder := range g.folders {
		l.pin(folder)
		l.folder(folder)
	}
	for _, folder := range g.further {
		l.folder(folder)
	}
	for _, git := range g.git {
		l.repository(git, "")
	}
	g.last = l
	return l
}

// learn takes what is there for what was there before.
func (g *Guard) learn(l *look) {
	if g.running == 0 || g.known == nil {
		g.known, g.links = map[string]candidate{}, map[string]bool{}
	}
	maps.Copy(g.links, l.links)
	for _, c := range l.found {
		if _, ok := g.known[c.path]; !ok {
			g.known[c.path] = c
		}
	}
}

// hold is what a look found, for a sandbox.
func (v *Visit) hold(l *look) {
	var key strings.Builder
	for _, c := range l.found {
		path := c.path
		if c.link != "" || c.git == gitTop || c.git == gitTree {
			resolved, err := filepath.EvalSymlinks(path)
			info, statErr := os.Stat(path)
			switch {
			case err != nil || statErr != nil, c.git == gitTree:
				continue
			case c.git == gitTop && info.IsDir(): // it is pinned, and its parts are held
				continue
			}
			path = resolved
		}
		if !slices.Contains(v.Held, path) {
			v.Held = append(v.Held, path)
			key.WriteString(path + c.id.String())
		}
	}
	v.Pins, v.Key = l.pins, key.String()
}

// Leave tells that the command has ended, and what of what it or others left was
// put away.
func (v *Visit) Leave() []Away {
	v.guard.mu.Lock()
	defer v.guard.mu.Unlock()
	came := append(v.came, v.guard.sweep()...)
	v.guard.running--
	return came
}

// sweep puts away what came since the commands began that run, unless it is
// harmless.
func (g *Guard) sweep() (all []Away) {
	before := g.last
	l := g.look(false)
	if l == before {
		return nil
	}
	fresh := g.fresh(l)
	for _, c := range l.found {
		was, ok := g.known[c.path]
		if c.git != notGit && slices.ContainsFunc(fresh, func(dir string) bool { return filepath.IsLocal(relTo(dir, c.path)) }) {
			ok = false
		}
		switch {
		case ok && was.link == c.link && (c.git != gitTree || c.harmless(g.workspace, g.git)):
		case !ok && c.harmless(g.workspace, g.git):
			g.known[c.path] = c
		default:
			all = append(all, g.putAway(c, was))
		}
	}
	maps.Copy(g.links, l.links)
	if len(all) > 0 {
		g.look(true)
	}
	return all
}

// fresh are the folders whose repository came since the commands began that run:
// in place of another, or as one that git goes into now.
func (g *Guard) fresh(l *look) (dirs []string) {
	for dir := range l.links {
		if !g.links[dir] {
			dirs = append(dirs, dir)
		}
	}
	for _, c := range l.found {
		if was, ok := g.known[c.path]; ok && c.git == gitTop && !was.id.same(c.id) {
			dirs = append(dirs, filepath.Dir(c.path))
		}
	}
	return dirs
}

// around are the folders with repositories between a folder and the workspace.
func around(workspace, cwd string) (found []string) {
	for at := cwd; at != workspace && len(at) > len(workspace); at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, gitFolder)); err == nil {
			found = append(found, at)
		}
	}
	slices.Reverse(found)
	return found
}
