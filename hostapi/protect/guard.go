package protect

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/upward"
)

// Guard protects one workspace while commands run in it. It is safe for concurrent use. It only
// blames its own commands: a file that appears while none runs is somebody else's.
type Guard struct {
	workspace string
	paths     Paths
	most      time.Duration // of a look
	list      int           // the bound on lists of repositories' own folders

	leaving leaving
	sweeps  atomic.Int64 // that began

	turn    chan struct{} // holds a value while somebody uses the fields below
	running int
	asked   asked
	seeker  seeker
	farther map[string]*seeker // of further folders
	inGit   sought             // repositories' own folders, as far as they were looked through for files that run as their owner
	shut    shut               // folders opened by the holder of the turn
	below   below
	homes   fromHomes
	here    presence
	others  bool // another process ran commands when the first of the running ones began
	last    *look
	judged  *look                // a look of which nothing had to be put away
	began   time.Time            // when the first of the running commands began
	known   map[string]candidate // protected files from before the running commands
	links   map[string]bool      // folders that git entered by itself then
	sought  sought               // folders in which repositories were sought then
	had     map[string]bool      // folders with repositories then, and bare ones
	owed    bool                 // files that commands left have not all been judged yet
	stopped string               // where the time to judge them ended
	untold  []Away               // not yet in a result
	told    map[string]bool      // notes given once, such as configurations that cannot be followed
	read    indexes
	listed  listings               // of the last look
	then    listings               // from before the running commands
	crowded bool                   // repositories' own folders held more then than can be checked
	packing packLeft               // in this sweep
	near    map[string]string      // names of the trashes in folders that commands write
	tidied  bool                   // the trash was tidied once
	dropped int                    // files dropped from the trash, not yet in a result
	alone   bool                   // no command runs any more
	copied  map[string]fileID      // files that the host wrote in this sweep
	modes   map[string]fs.FileInfo // of folders on the way to settings, from before the running commands
	folder  fs.FileInfo            // the workspace, when the first of the running commands began
	apart   map[string]fs.FileInfo // folders outside the workspace, when the first command began that may write there
	moved   atomic.Bool            // the workspace is elsewhere since
}

// asked is the folders to look at besides the workspace itself.
type asked struct {
	folders []string // with repositories, in the workspace
	further []string // outside the workspace
	git     []string // repositories' own folders, outside the workspace
	bare    []string // the same, in the workspace
	apart   bool     // the homes are looked at apart
}

func (a asked) equal(b asked) bool {
	return a.apart == b.apart && slices.Equal(a.folders, b.folders) && slices.Equal(a.further, b.further) && slices.Equal(a.git, b.git) && slices.Equal(a.bare, b.bare)
}

// with adds the folders of a command; added are the new ones.
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

// NewGuard returns the guard of a workspace: an absolute path with links followed.
func NewGuard(workspace string, paths Paths) *Guard {
	return &Guard{workspace: workspace, paths: paths, most: mostTime, list: mostListed, read: indexes{}, told: map[string]bool{}, near: map[string]string{}, turn: make(chan struct{}, 1)}
}

// Visit is one command in a guarded workspace.
type Visit struct {
	// Held are files and folders that the command must not write, and links on the way to them,
	// which it must neither remove nor replace; absolute, with the links before them followed.
	// All exist.
	Held []string
	// Pins are folders that the command may write in but neither move nor replace; parents come
	// first.
	Pins []string
	// Key changes when one of Held or Pins becomes another file.
	Key string

	guard     *Guard
	workspace string
	by        map[string]why // of the held paths
	came      []Away
	left      chan struct{} // closed once the visit has ended
	wholes    []string      // folders held as a whole
}

// Folders are the folders that a command may write in.
type Folders struct {
	// Cwd is the command's directory, in the workspace.
	Cwd string
	// Further are folders outside the workspace, resolved.
	Further []string
	// Git are repositories' own folders outside the workspace, resolved.
	Git []string
}

// Enter prepares the workspace for a command that is about to start. The caller calls
// [Visit.Leave], unless there is an error: ctx has ended, or the workspace could not be checked
// in some seconds.
func (g *Guard) Enter(ctx context.Context, where Folders) (*Visit, error) {
	return g.enter(ctx, where, g.sweeps.Load())
}

// enter is Enter for somebody who came when so many sweeps had begun. A later one of others will
// do: it saw what there was.
func (g *Guard) enter(ctx context.Context, where Folders, swept int64) (*Visit, error) {
	select {
	case g.turn <- struct{}{}:
		defer g.free()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if g.owed || g.running > 0 && g.sweeps.Load() == swept {
		came, _ := g.sweep(ctx, g.running == 0)
		g.later(came)
	}
	if g.Moved() {
		return nil, fmt.Errorf("the workspace was moved to %s while commands ran in it: start the command there, or again", g.workspace)
	}
	if err := g.makeTrash(where.Further); err != nil {
		return nil, err
	}
	from := g.asked
	if g.running == 0 {
		g.others = g.here.enter(g.workspace)
		g.anchor()
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
	g.anchorApart(added)
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
		g.noteModes(all)
	} else {
		g.learnLate(l, added)
	}
	if g.single(l) {
		if l = g.look(ctx, all); l.effort.interrupted {
			return nil, g.tooMuch(ctx)
		}
	}
	v := &Visit{guard: g, workspace: g.workspace, came: append(g.untold, g.recall()...)}
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
	return fmt.Errorf("the protected files in %s could not be checked in %v; a command may have left very many files in .git there: remove them and try again", g.workspace, g.most)
}

// Peek returns what Enter would find, without a command. It changes nothing that the guard
// knows.
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
	v := &Visit{guard: g, workspace: g.workspace}
	v.hold(g.lookAt(context.Background(), all, maps.Clone(g.read)), where.Cwd)
	return v
}

// free gives the turn to others, and shuts the folders that were opened.
func (g *Guard) free() {
	g.shut.close()
	<-g.turn
}

// doors opens folders for the search for repositories.
func (g *Guard) doors() *shut {
	g.shut.tops = []string{g.workspace}
	return &g.shut
}

// seekAgain looks for repositories that appeared below the workspace meanwhile. One that no
// running command can have made counts as old.
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

// look returns the last look if it still holds, or else a new one.
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
	l.follow("", "", l.userConfigs(g.workspace)...) // which count without a repository too
	l.own()
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
	if !where.apart {
		l.homes()
	}
	for len(l.git) > 0 { // last, because commands write the index
		next := l.git[0]
		l.git = l.git[1:]
		l.linked(next.git, next.top)
	}
	return l
}

// learn notes all that a look found as known from before.
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

// clockLag is more than the lag of the kernel's clock for files behind time.Now.
const clockLag = 20 * time.Millisecond

// learnLate notes what is in newly checked folders as known from before, if no command can have
// made it: running commands could write in the workspace as they liked.
func (g *Guard) learnLate(l *look, added asked) {
	began := g.began.Add(-clockLag).UnixNano()
	var came []string // new folders; their files may be older, moved in with them
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

// around are the folders with repositories from a folder up to the workspace.
func around(workspace, cwd string) (found []string) {
	for at := range upward.Within(workspace, cwd) {
		if at == workspace {
			break
		}
		if _, err := os.Lstat(filepath.Join(at, gitFolder)); err == nil {
			found = append(found, at)
		}
	}
	slices.Reverse(found)
	return found
}
