package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// maxWalked is how many entries a walk looks at.
const maxWalked = 200_000

// skipped are folders without sources of their own. They are walked when they
// are named.
var skipped = []string{
	".git", ".hg", ".svn", ".jj", "node_modules", "bower_components", ".venv", "venv", "__pycache__",
	".mypy_cache", ".pytest_cache", ".ruff_cache", ".tox", ".gradle", ".terraform", ".next", ".nuxt", ".cache",
}

// maxDeep is how many folders deep a walk goes; each holds a descriptor.
const maxDeep = 250

// walked is a file that a walk came by. What it is, is known for certain only when
// it is opened, by its name in the folder that it was found in.
type walked struct {
	path    string // below the workspace
	in      *held
	name    string
	regular bool
	deep    int // folders before it that lie too deep
}

// walking is what a walk looks at, and what it passed over.
type walking struct {
	noIgnore bool
	decided  bool   // the caller chose noIgnore
	named    string // all that is looked for lies in here, whatever ignores it; empty for no such folder
	after    string // nothing before this path is visited
	deep     int    // folders that lie too deep, before after
	largest  int    // bytes of a file that is searched
	skips    skips
	complete bool   // unless there was more than a call looks at
	ended    string // what ended it then
	last     cursor // the last file that was visited
}

// walkingOf is a walk that a call asks for.
func walkingOf(args *plan) *walking {
	return &walking{noIgnore: args.NoIgnore != nil && *args.NoIgnore, decided: args.NoIgnore != nil}
}

// goOn begins after a place that an earlier call came to.
func (w *walking) goOn(from cursor) { w.after, w.deep = from.path, from.deep }

// tooDeep is how many folders were left out as they lie too deep, in earlier calls too.
func (w *walking) tooDeep() int { return w.deep + w.skips.Deep }

// inPart reports whether not all of what was asked for was looked at.
func (w *walking) inPart() bool { return !w.complete || w.tooDeep() > 0 }

// skips counts what was passed over. A folder counts once.
type skips struct {
	Ignored    int `json:"ignored"`
	Unreadable int `json:"unreadable"`
	Binary     int `json:"binary"`
	Large      int `json:"large,omitempty"`
	Deep       int `json:"deep,omitempty"` // folders below maxDeep others

	utf16 int // of those that count as binary
}

func (s *skips) passBinary(utf16 bool) {
	s.Binary++
	if utf16 {
		s.utf16++
	}
}

// walk calls visit for every file below a folder, or for the one file, folder by folder in
// the order of names, on one goroutine; the next folders are listed meanwhile. Each is opened
// in the one above it, and links are told and not followed.
func (w *Workspace) walk(ctx context.Context, at place, how *walking, visit func(file walked) error) error {
	how.complete = true
	opened, name, err := w.parent(at.rel)
	if err != nil {
		return plain(at.given, err)
	}
	in := hold(opened)
	defer in.release()
	info, err := in.lstat(name)
	if err != nil {
		return plain(at.given, err)
	}
	if !info.IsDir() {
		if info.Mode()&fs.ModeSymlink != 0 {
			return &changedError{at.given}
		}
		return visit(walked{path: at.rel, in: in, name: name, regular: info.Mode().IsRegular()})
	}
	if !at.folder { // a rule that names a file does not grant a folder that took its place
		return &changedError{at.given}
	}
	d, err := in.sub(name)
	if err != nil {
		return plain(at.given, err)
	}
	var rules *ignores
	if !how.noIgnore {
		rules = w.rulesAbove(at.rel)
	}
	k := &walker{walking: how, ctx: ctx, visit: visit, left: maxWalked}
	top := &listed{rel: at.rel, rules: rules}
	if k.list(top, d); top.err != nil {
		return plain(at.given, top.err)
	}
	if err = k.folder(top, 0); errors.Is(err, errWalked) {
		how.complete, err = false, nil
		how.ended = fmt.Sprintf("a call looks at no more than %d files and folders", maxWalked)
	}
	return err
}

var errWalked = errors.New("there is more than a walk looks at")

type walker struct {
	*walking

	ctx   context.Context
	visit func(walked) error
	left  int
}

// listed is a folder that is open, with what a walk looks at in it.
type listed struct {
	in       *held
	rel      string
	rules    *ignores
	children []child
	ignored  int
	err      error
	done     chan struct{} // closed once the rest is there
}

type child struct {
	path         string
	name         string
	dir, regular bool
}

// list lists an open folder. If it cannot, the folder is closed.
func (k *walker) list(l *listed, d folder) {
	children, err := d.entries()
	if err != nil {
		d.close()
		l.err = err
		return
	}
	l.in = hold(d)
	if !k.noIgnore {
		l.rules = l.rules.with(d, l.rel, children)
	}
	l.children = make([]child, 0, len(children))
	for _, entry := range children {
		c := child{path: entry.Name(), name: entry.Name(), dir: entry.IsDir(), regular: entry.Type().IsRegular()}
		if l.rel != "." {
			c.path = l.rel + "/" + c.name
		}
		switch {
		case c.path == stageName, isTrash(c.name), k.before(c), !lies(c.path, k.named) && !lies(k.named, c.path):
		case !k.noIgnore && !lies(k.named, c.path) && (c.dir && slices.Contains(skipped, c.name) || l.rules.ignored(c.path, c.dir)):
			if c.name != ".git" { // which nobody asks for
				l.ignored++
			}
		default:
			l.children = append(l.children, c)
		}
	}
}

// before reports whether all of it comes before what is visited.
func (k *walker) before(c child) bool {
	return k.after != "" && walkOrder(c.path, k.after) < 0 && !(c.dir && lies(k.after, c.path))
}

// lies reports whether a path is a folder or lies in it; all lie in the one without a name.
func lies(path, folder string) bool {
	rest, ok := strings.CutPrefix(path, folder)
	return ok && (rest == "" || folder == "" || rest[0] == '/')
}

// walkOrder compares paths as a walk comes by them: what lies in a folder comes before what
// has a longer name than the folder.
func walkOrder(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if x, y := a[i], b[i]; x != y {
			switch {
			case x == '/':
				return -1
			case y == '/':
				return 1
			}
			return int(x) - int(y)
		}
	}
	return len(a) - len(b)
}

// How many folders of one are listed before they are walked, where that is not too deep
// for the descriptors that they hold.
const (
	listedAhead = 4
	aheadDepth  = 32
)

// folder walks a folder, and lets go of it.
func (k *walker) folder(l *listed, depth int) error {
	defer l.in.release()
	k.skips.Ignored += l.ignored
	var ahead []*listed
	defer func() {
		for _, below := range ahead {
			if <-below.done; below.err == nil {
				below.in.release()
			}
		}
	}()
	next := 0
	for i, c := range l.children {
		for ; next < len(l.children) && (next <= i || len(ahead) < listedAhead && depth < aheadDepth); next++ {
			if l.children[next].dir && depth < maxDeep {
				ahead = append(ahead, k.listAhead(l, l.children[next]))
			}
		}
		if err := k.ctx.Err(); err != nil {
			return err
		}
		if k.left--; k.left < 0 {
			return errWalked
		}
		switch {
		case !c.dir:
			k.last = cursor{path: c.path, deep: k.tooDeep()}
			if err := k.visit(walked{c.path, l.in, c.name, c.regular, k.last.deep}); err != nil {
				return err
			}
			continue
		case depth == maxDeep:
			k.skips.Deep++
			continue
		}
		below := ahead[0]
		ahead = ahead[1:]
		<-below.done
		switch {
		case errors.Is(below.err, fs.ErrNotExist):
		case below.err != nil:
			k.skips.Unreadable++
		default:
			if err := k.folder(below, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// listAhead begins to list a folder in another, which must stay open until it is done.
func (k *walker) listAhead(l *listed, c child) *listed {
	below := &listed{rel: c.path, rules: l.rules, done: make(chan struct{})}
	if lies(k.named, c.path) && l.rules.ignored(c.path, true) {
		below.rules = nil // it would be all that is in it
	}
	go func() {
		defer close(below.done)
		d, err := l.in.sub(c.name)
		if err != nil {
			below.err = err
			return
		}
		k.list(below, d)
	}()
	return below
}

// isTrash reports whether a folder has the name of one of what was deleted.
func isTrash(name string) bool { return name == trash || strings.HasPrefix(name, trash+"-") }

// literalFolder is the folder that a pattern names before its first wildcard.
func literalFolder(at, pattern string) string {
	pattern = strings.TrimPrefix(pattern, "./")
	end := strings.IndexAny(pattern, `*?[{\`)
	if end < 0 {
		end = len(pattern)
	}
	slash := strings.LastIndexByte(pattern[:end], '/')
	if slash <= 0 {
		return ""
	}
	return path.Join(at, pattern[:slash])
}
