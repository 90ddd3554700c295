package protect

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Guard looks after what is protected in one workspace while commands run in it.
// It is safe for concurrent use. It knows only what its commands could have
// done: what is made while none runs is somebody else's.
type Guard struct {
	workspace string
	paths     Paths
	most      time.Duration // that a look takes
	list      int           // what it lists of repositories' own folders

	turn    chan struct{} // holds one value while somebody works with what follows
	running int
	asked   asked
	seeker  seeker
	farther map[string]*seeker // of further folders
	shut    shut               // what is open for who has the turn
	below   below
	here    presence
	others  bool // they ran commands when the first of those began that run
	last    *look
	judged  *look                // the look of which nothing has to be put away
	began   time.Time            // the commands that run, the first of them
	known   map[string]candidate // what was there before the commands that run
	links   map[string]bool      // folders that git went into by itself then
	sought  sought               // where repositories were sought then
	had     map[string]bool      // folders with repositories then, and those that are one
	owed    bool                 // what commands left is not judged yet, or not all of it
	stopped string               // where time did not do to judge it
	untold  []Away               // what nobody was told of yet
	told    map[string]bool      // configurations that cannot be followed
	read    indexes
	listed  listings          // what the last look listed
	then    listings          // what was listed before the commands that run
	crowded bool              // more was listed of repositories' own folders then than is looked at
	packing packLeft          // in this sweep
	near    map[string]string // names of the trashes in folders where commands write
	tidied  bool              // the trash was, once
	dropped int               // what went of the trash, which nobody was told of yet
	alone   bool              // no command runs any more
	copied  map[string]fileID // what the host wrote in this sweep
}

// asked is where somebody looks beside the workspace itself.
type asked struct {
	folders []string // with repositories, in the workspace
	further []string // outside the workspace
	git     []string // repositories' own folders, outside the workspace
	bare    []string // the same, in the workspace
}

func (a asked) equal(b asked) bool {
	return slices.Equal(a.folders, b.folders) && slices.Equal(a.further, b.further) && slices.Equal(a.git, b.git) && slices.Equal(a.bare, b.bare)
}

// with adds where a command may write; added are the new folders.
func (a asked) with(workspace string, where Folders) (more asked, added asked) {
	more.folders, added.folders = include(a.folders, around(workspace, where.Cwd))
	more.further, added.further = include(a.further, where.Further)
	more.git, added.git = include(a.git, where.Git)
	more.bare = a.bare
	return more, added
}

// include adds folders to a list.
func include(list, folders []string) (all, added []string) {
	all, has := slices.Clone(list), map[string]bool{}
	for _, folder := range list {
		has[folder] = true
	}
	for _, folder := range folders {
		if !has[folder] {
			has[folder] = true
			all, added = append(all, folder), append(added, folder)
		}
	}
	return all, added
}

// NewGuard returns the guard of a workspace: an absolute path with links
// followed.
func NewGuard(workspace string, paths Paths) *Guard {
	return &Guard{workspace: workspace, paths: paths, most: mostTime, list: mostListed, read: indexes{}, told: map[string]bool{}, near: map[string]string{}, turn: make(chan struct{}, 1)}
}

// Visit is one command in a guarded workspace.
type Visit struct {
	// Held are files and folders that commands must not write, absolute and with
	// links followed; all exist.
	Held []string
	// Pins are folders in which commands may write and which they must neither
	// move nor replace; parents come first.
	Pins []string
	// Key changes when one of Held or Pins is another file than before.
	Key string

	guard  *Guard
	by     map[string]why // of what is held
	came   []Away
	wholes []string // folders that are held for more in them than is held one by one
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
// [Visit.Leave], unless there is an error: ctx has ended, or what is in the
// workspace could not be looked at in some seconds.
func (g *Guard) Enter(ctx context.Context, where Folders) (*Visit, error) {
	select {
	case g.turn <- struct{}{}:
		defer g.free()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if g.running > 0 || g.owed {
		came, _ := g.sweep(ctx, g.running == 0)
		g.later(came)
	}
	if err := g.makeTrash(where.Further); err != nil {
		return nil, err
	}
	from := g.asked
	if g.running == 0 {
		g.others = g.here.enter(g.workspace)
		defer func() {
			if g.running == 0 {
				g.here.leave()
			}
		}()
		g.seeker.seek(g.workspace, g.doors())
		from = asked{folders: g.seeker.repos, bare: g.seeker.bare}
		from = g.seekFarther(from, where.Further)
	}
	all, added := from.with(g.workspace, where)
	began := time.Now()
	l := g.look(ctx, all)
	for again := 0; l.ways.torn && again < mostSweeps; again++ {
		l = g.look(ctx, all)
	}
	if ctx.Err() != nil || l.effort.interrupted || g.running == 0 && g.owed {
		return nil, g.tooMuch(ctx)
	}
	if g.asked = all; g.running == 0 {
		g.began, g.judged, g.sought, g.had = began, nil, g.allSought(), map[string]bool{}
		for _, repo := range slices.Concat(all.folders, all.bare) {
			g.had[repo] = true
		}
		g.learn(l)
	} else {
		g.learnLate(l, added)
	}
	if g.single(l) {
		if l = g.look(ctx, all); l.effort.interrupted {
			return nil, g.tooMuch(ctx)
		}
	}
	v := &Visit{guard: g, came: append(g.untold, g.recall()...)}
	v.hold(l, where.Cwd)
	v.came = append(v.came, g.wholes(v.wholes)...)
	g.untold = nil
	g.running++
	return v, nil
}

// tooMuch is why a command cannot begin.
func (g *Guard) tooMuch(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return fmt.Errorf("what is protected in %s could not be looked at in %v; a command may have left very many files in .git there: remove them and try again", g.workspace, g.most)
}

// Peek is what Enter would find, without a command. It changes nothing of what
// the guard knows.
func (g *Guard) Peek(where Folders) *Visit {
	g.turn <- struct{}{}
	defer g.free()
	from := g.asked
	if g.running == 0 {
		s := seeker{}
		s.seek(g.workspace, g.doors())
		from = asked{folders: s.repos, bare: s.bare}
		for _, folder := range where.Further {
			s := seeker{}
			s.seek(folder, g.doors())
			from.folders, _ = include(from.folders, s.repos)
			from.bare, _ = include(from.bare, s.bare)
		}
	}
	all, _ := from.with(g.workspace, where)
	v := &Visit{guard: g}
	v.hold(g.lookAt(context.Background(), all, maps.Clone(g.read)), where.Cwd)
	return v
}

// free gives the turn to others, and leaves folders as they were.
func (g *Guard) free() {
	g.shut.close()
	<-g.turn
}

// doors are those that are opened to find repositories.
func (g *Guard) doors() *shut {
	g.shut.tops = []string{g.workspace}
	return &g.shut
}

// seekAgain asks for repositories that came below the workspace meanwhile. What no
// command that runs can have made was there before.
func (g *Guard) seekAgain(ctx context.Context) {
	g.seeker.seek(g.workspace, g.doors())
	all, added := g.asked, asked{}
	all.folders, added.folders = include(all.folders, g.seeker.repos)
	all.bare, added.bare = include(all.bare, g.seeker.bare)
	more := g.seekFarther(all, all.further)
	_, folders := include(all.folders, more.folders)
	_, bare := include(all.bare, more.bare)
	all, added.folders, added.bare = more, append(added.folders, folders...), append(added.bare, bare...)
	if g.asked = all; len(added.folders)+len(added.bare) > 0 {
		if l := g.look(ctx, all); !l.effort.interrupted {
			g.learnLate(l, asked{folders: slices.Concat(added.folders, added.bare)})
		}
	}
}

// look looks again if it has to.
func (g *Guard) look(ctx context.Context, where asked) *look {
	if g.last != nil && g.last.asked.equal(where) && g.last.stillHolds() {
		return g.last
	}
	g.last = g.lookAt(ctx, where, g.read)
	if !g.last.effort.interrupted {
		g.read.keep(g.last.stamps)
		g.listed = g.last.listings
	}
	return g.last
}

func (g *Guard) lookAt(ctx context.Context, where asked, read indexes) *look {
	g.shut.tops = slices.Concat([]string{g.workspace}, where.further, where.git)
	l := newLook(newEffort(ctx, g.most), g.workspace, g.paths, read, &g.shut)
	l.asked, l.before, l.effort.listed = where, g.listed, g.list
	l.folder(g.workspace)
	l.follow("", "", l.userConfigs()...) // which hold where no repository is, too
	for _, further := range g.paths.Further {
		if rel := relTo(g.workspace, further); filepath.IsLocal(rel) && !g.paths.Excepts(rel) {
			l.stamp(filepath.Dir(further))
			l.add(further, why{furtherReason, rel}, notGit)
			l.pinBetween(further)
		}
	}
	for _, folder := range where.folders {
		l.pin(folder)
		l.folder(folder)
	}
	for _, folder := range where.further {
		l.folder(folder)
	}
	for _, git := range where.git {
		l.repository(git, "")
	}
	for _, git := range where.bare {
		l.repository(git, git)
	}
	l.settings()
	l.homes()
	for len(l.git) > 0 { // at last, because commands write what it is about
		next := l.git[0]
		l.git = l.git[1:]
		l.linked(next.git, next.top)
	}
	return l
}

// learn takes what is there for what was there before.
func (g *Guard) learn(l *look) {
	g.known, g.links, g.then = map[string]candidate{}, map[string]bool{}, maps.Clone(l.listings)
	g.crowded = l.effort.listed <= 0
	for dir := range l.links {
		g.links[dir] = true
	}
	for _, c := range l.found {
		g.known[c.path] = g.learned(c)
	}
}

// clockLag is more than the kernel's clock for files lies behind that of time.Now.
const clockLag = 20 * time.Millisecond

// learnLate takes what is in folders that were not looked at so far for what was
// there before, if no command can have made it: in the workspace those that run
// wrote there as they liked.
func (g *Guard) learnLate(l *look, added asked) {
	began := g.began.Add(-clockLag).UnixNano()
	var came []string // what is in them may be older, and came as part of something else
	for _, folder := range added.folders {
		if g.sought.lacked(g.topOf(folder), folder) {
			came = append(came, folder)
		}
	}
	in, late, out := treeOf(added.folders), treeOf(came), treeOf(added.further, added.git)
	for dir, changed := range l.links {
		if in.holds(dir) && !late.holds(dir) && changed < began {
			g.links[dir] = true
		}
	}
	for dir, listed := range l.listings {
		if out.holds(dir) && g.then[dir] == nil {
			g.then[dir] = listed
		}
	}
	for _, c := range l.found {
		inside := in.holds(c.path) && (c.git == notGit || !late.holds(c.path)) || c.via != ""
		if _, ok := g.known[c.path]; !ok && (out.holds(c.path) || inside && c.id.latest() < began) {
			c.late = true
			g.known[c.path] = g.learned(c)
		}
	}
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
