package protect

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// candidate is a protected file or folder that exists.
type candidate struct {
	why
	path   string // absolute
	git    gitKind
	link   string // the target, for a symbolic link
	to     string // the target with all links followed; path if it is no link, empty if the target is missing
	id     fileID
	origin origin
	text   string      // of a configuration of a repository, or of steps
	rest   string      // the part of text that may stay
	as     fs.FileInfo // of the same, and of a commondir
	home   *home       // for a configuration of a repository, or .git
	late   bool        // it became known only after commands had begun
	shared bool        // it became known while another process ran commands
	via    string      // the configuration or link that leads there; empty for none
	begins bool        // path is the beginning of names that may appear
	leads  string      // where a file .git leads, with all links followed
}

// gitKind says which part of a repository a candidate is.
type gitKind int

const (
	notGit   gitKind = iota
	gitTop           // .git itself: a folder, or a file that leads to one
	gitPart          // one of gitParts
	gitTree          // commondir of a further working folder
	gitSteps         // one of stepFiles
	gitLink          // a link at a path that git writes
	gitMany          // a folder that holds more than can be checked one by one
)

// written reports whether git writes the file as it works: it is not read-only, and is judged
// at every look.
func (c candidate) written() bool { return c.git == gitTree || c.git == gitSteps }

// look is one look at all protected paths in some folders.
type look struct {
	paths     Paths
	workspace string
	asked     asked // besides the workspace
	found     []candidate
	coming    []candidate       // missing files to which something leads
	pins      []string          // folders on the way to candidates, parents first
	stamps    map[string]fileID // of all that was read, to know whether to look again
	ways      *ways             // of names on the way to something: likewise
	at        time.Time
	indexes   indexes
	effort    *effort
	shut      *shut
	git       []gitLook        // repositories whose indexes are to be read
	links     map[string]int64 // folders that git enters by itself, with the time of the index that says so
	folders   map[string]bool  // already looked at
	repos     map[gitLook]bool // likewise
	configs   map[string]int   // already followed
	listed    map[string]int   // folders in which links were followed, and how much deeper
	noted     map[string]bool  // candidates, by path
	unclear   map[string]error // configurations that could not be followed
	listings  listings         // of repositories' own folders
	before    listings         // of an earlier look
}

// gitLook is a repository's own folder and its working folder.
type gitLook struct{ git, top string }

func newLook(e *effort, workspace string, paths Paths, read indexes, s *shut) *look {
	return &look{
		workspace: workspace, paths: paths, shut: s, stamps: map[string]fileID{}, ways: &ways{there: map[string]noted{}, not: map[string]*lack{}, begun: map[string]begun{}}, at: time.Now(),
		effort: e, indexes: read, links: map[string]int64{}, folders: map[string]bool{},
		repos: map[gitLook]bool{}, configs: map[string]int{}, listed: map[string]int{}, noted: map[string]bool{}, unclear: map[string]error{}, listings: listings{},
	}
}

// stillHolds reports whether nothing that was looked at has changed since.
func (l *look) stillHolds() bool {
	if l.effort.interrupted || l.ways.torn {
		return false
	}
	for path, was := range l.stamps {
		now, err := idOf(path)
		if err != nil || now != was || !was.settled(l.at) {
			return false
		}
	}
	return l.ways.stillHold(l.at)
}

// walk is that of an effort, and notes the names on the way.
func (l *look) walk(path string, on func(hop)) (to string, rest []string, err error) {
	to, rest, err = l.effort.walk(path, func(h hop) {
		l.ways.note(h.path, h.info)
		on(h)
	})
	if err != nil {
		l.ways.note(to, nil)
	}
	return to, rest, err
}

// stamp notes that a path was looked at, and reports whether it is a folder.
func (l *look) stamp(path string) (folder bool) {
	if !l.effort.step(path) {
		return false
	}
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	if l.shut.open(path, info) {
		if info, err = os.Lstat(path); err != nil {
			return false
		}
	}
	l.stamps[path] = idFrom(info)
	return info.IsDir()
}

// add notes the file at a path, if it exists.
func (l *look) add(path string, by why, git gitKind) {
	if l.effort.step(path) {
		l.addAnyway(path, by, git)
	}
}

// addAnyway is add beyond the bounds, for a folder that holds too much to be checked.
func (l *look) addAnyway(path string, by why, git gitKind) {
	info, err := os.Lstat(path)
	if err != nil {
		return
	}
	c := candidate{path: path, to: path, why: by, git: git, id: idFrom(info)}
	if info.Mode()&fs.ModeSymlink != 0 {
		c.link, _ = os.Readlink(path) // empty if the link is gone
		c.to, _ = l.effort.resolve(path)
		l.note(c)
		kind := notGit
		if git == gitTop {
			kind = git
		}
		l.lead(path, by, path, kind)
		return
	}
	l.note(c)
	if git == notGit && info.IsDir() {
		l.linksIn(path, by)
	}
}

// pin notes a folder that must stay where it is.
func (l *look) pin(dir string) { l.pins = append(l.pins, dir) }

// pinBetween pins the folders between the workspace, or another folder that commands write in,
// and a path in it.
func (l *look) pinBetween(path string) {
	for _, top := range l.tops() {
		rel := relTo(top, path)
		if !filepath.IsLocal(rel) {
			continue
		}
		parts := strings.Split(rel, "/")
		for i := 1; i < len(parts) && l.effort.step(path); i++ {
			l.pin(filepath.Join(top, filepath.Join(parts[:i]...)))
		}
		return
	}
}

// folder looks at a working folder and its repository.
func (l *look) folder(dir string) {
	if l.folders[dir] || !l.stamp(dir) {
		return
	}
	l.folders[dir] = true
	l.stay(dir)
	l.names(dir)
	l.gitOf(dir)
}

// names looks at the table's names in a folder.
func (l *look) names(dir string) {
	l.endings(dir)
	absent := map[string]bool{} // folders that many of the names lie in
	for _, name := range names {
		if strings.Contains(name.path, "*") || l.paths.Excepts(name.path) {
			continue // those that begin alike are sought in homes alone
		}
		if parent, _, below := strings.Cut(name.path, "/"); below {
			parent = filepath.Join(dir, parent)
			if absent[parent] {
				continue
			}
			if !l.stamp(parent) {
				if _, there := l.stamps[parent]; there { // as a link
					l.lead(filepath.Join(dir, name.path), why{name.reason, name.path}, "", notGit)
				} else {
					absent[parent] = true
				}
				continue
			}
			before := len(l.found)
			l.add(filepath.Join(dir, name.path), why{name.reason, name.path}, notGit)
			if len(l.found) > before {
				l.pin(parent)
			}
			continue
		}
		l.add(filepath.Join(dir, name.path), why{name.reason, name.path}, notGit)
	}
}

// gitOf looks at the repository of a folder.
func (l *look) gitOf(dir string) {
	if l.paths.Excepts(gitFolder) {
		return
	}
	git := filepath.Join(dir, gitFolder)
	info, err := os.Lstat(git)
	switch {
	case err != nil:
	case info.IsDir():
		l.pin(git)
		l.note(candidate{path: git, to: git, why: ofGit(""), git: gitTop, id: idFrom(info)})
		l.repository(git, dir)
		l.git = append(l.git, gitLook{git, dir})
	case info.Mode().IsRegular():
		l.stamp(git)
		l.add(git, ofGit(""), gitTop)
		if to, ok := l.effort.leadsTo(git); ok {
			l.workingFolder(to, dir)
			l.git = append(l.git, gitLook{to, dir})
		}
	default:
		l.add(git, ofGit(""), gitTop)
		if to, err := l.effort.resolve(git); err == nil && to != git {
			l.repository(to, dir)
			l.git = append(l.git, gitLook{to, dir})
		}
	}
}

// The bounds of a look. If a repository has more submodules, or working folders, all
// its data of them is read-only as a whole.
const (
	mostModules = 1024
	mostTrees   = 1024
	mostEntries = 1024
	deepModules = 8
)

// repository looks at a repository's own folder. top is its working folder, if it is known.
func (l *look) repository(git, top string) {
	if l.repos[gitLook{git, top}] {
		return
	}
	l.repos[gitLook{git, top}] = true
	if top == "" && filepath.Base(git) == gitFolder {
		top = filepath.Dir(git)
	}
	l.stay(git)
	l.parts(git)
	l.leads(git, top)
	left, modules := mostModules, filepath.Join(git, "modules")
	if !l.modules(modules, deepModules, &left) {
		l.addAnyway(modules, ofGit(""), gitMany)
	}
	l.trees(git)
}

// trees looks at a repository's data of its further working folders.
func (l *look) trees(git string) {
	trees := filepath.Join(git, "worktrees")
	here := l.list(trees)
	if here == nil {
		return
	}
	if !here.whole || len(here.names) > mostTrees {
		l.addAnyway(trees, ofGit(""), gitMany)
		return
	}
	for _, name := range here.links {
		l.writtenLink(filepath.Join(trees, name), "worktrees/"+name, "")
	}
	for _, name := range here.folders {
		tree := filepath.Join(trees, name)
		if l.stamp(tree) {
			l.add(filepath.Join(tree, "config.worktree"), ofGit("config.worktree"), gitPart)
			l.add(filepath.Join(tree, "commondir"), ofGit("commondir"), gitTree)
			l.stamp(filepath.Join(tree, "commondir"))
			l.steps(tree)
		}
	}
}

// workingFolder looks at the repository of a folder whose file .git leads to git.
func (l *look) workingFolder(git, top string) {
	if link, ok := gitdirOf(filepath.Join(top, gitFolder)); ok {
		l.lead(link, ofGit(""), "", gitTop)
	}
	common := filepath.Dir(filepath.Dir(git))
	if leadsUp(filepath.Join(git, "commondir")) {
		l.leads(git, top)
		git = common
	}
	l.repository(git, top)
}

// parts looks at gitParts in one repository's folder.
func (l *look) parts(git string) {
	if !l.stamp(git) {
		return
	}
	for _, part := range gitParts {
		l.add(filepath.Join(git, part), ofGit(part), gitPart)
	}
	l.steps(git)
}

// modules looks at the repositories of submodules, whose names may have slashes. It is false if
// there are more than it looks at.
func (l *look) modules(dir string, deep int, left *int) bool {
	here := l.list(dir)
	if here == nil {
		return true
	}
	if deep == 0 {
		return false
	}
	l.pin(dir)
	for _, name := range here.links {
		l.writtenLink(filepath.Join(dir, name), "modules/"+name, "")
	}
	for _, name := range here.folders {
		at := filepath.Join(dir, name)
		if *left--; *left < 0 {
			return false
		}
		if _, err := os.Lstat(filepath.Join(at, "HEAD")); err != nil {
			if !l.modules(at, deep-1, left) {
				return false
			}
			continue
		}
		l.pin(at)
		l.parts(at)
		l.leads(at, "")
		l.trees(at)
		if !l.modules(filepath.Join(at, "modules"), deep-1, left) {
			return false
		}
	}
	return here.whole && len(here.names) <= 2*mostEntries
}
