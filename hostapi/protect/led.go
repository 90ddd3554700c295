package protect

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"
)

// Led is what protects a path of the workspace because something else leads there:
// git's settings and `.git` files, and links at names of the table, at the top of the
// workspace, in repositories below it, and in submodules. ok is false for a path to which
// nothing leads. With holds, what is protected may also lie below the path, which is
// moved or removed as a whole. The path is absolute, with links followed.
func (g *Guard) Led(ctx context.Context, path string, holds bool) (by Name, ok bool, err error) {
	select {
	case g.turn <- struct{}{}:
		defer g.free()
	case <-ctx.Done():
		return Name{}, false, context.Cause(ctx)
	}
	l := g.look(ctx, asked{folders: around(g.workspace, filepath.Dir(path))})
	for _, c := range slices.Concat(l.found, l.coming) {
		if by, ok := g.leads(c, path, holds); ok {
			return by, true, nil
		}
	}
	elsewhere := g.lookBelow(ctx)
	switch {
	case ctx.Err() != nil:
		return Name{}, false, context.Cause(ctx)
	case l.effort.interrupted || elsewhere.effort.interrupted:
		return Name{}, false, fmt.Errorf("what is protected in %s could not be looked at in %v: remove files in .git there, if a command left very many", g.workspace, g.most)
	}
	for _, c := range slices.Concat(elsewhere.found, elsewhere.coming) {
		if c.via == "" || holds && filepath.IsLocal(relTo(path, c.via)) {
			continue // a repository is moved with all that is in it
		}
		if by, ok := g.leads(c, path, holds); ok {
			return by, true, nil
		}
	}
	return Name{}, false, nil
}

// Holds is why a path of the workspace is held, as [Guard.Led] has it: also where something
// leads there. The path is absolute, with links followed.
func (v *Visit) Holds(path string) (by Name, ok bool) {
	for at := path; at != filepath.Dir(at); at = filepath.Dir(at) {
		if by, ok := v.by[at]; ok {
			return Name{Path: relTo(v.guard.workspace, path), Reason: by.reason, Except: by.except}, true
		}
	}
	return Name{}, false
}

// leads reports whether a path is where something leads, or lies there.
func (g *Guard) leads(c candidate, path string, holds bool) (by Name, ok bool) {
	if c.git == gitTop && c.link == "" || g.paths.Excepts(c.except) {
		return Name{}, false
	}
	for _, at := range []string{c.to, c.path} {
		rel := relTo(g.workspace, at)
		if at == "" || rel == "." || !filepath.IsLocal(filepath.FromSlash(rel)) {
			continue
		}
		if filepath.IsLocal(relTo(at, path)) || holds && filepath.IsLocal(relTo(path, at)) {
			return Name{Path: rel, Reason: c.reason, Except: c.except}, true
		}
	}
	return Name{}, false
}

// below is what is known of repositories below the workspace.
type below struct {
	look *look // nil before the first
	read indexes
	next time.Time // when it is looked at again
}

// shareBelow is how many times as long as a look took it holds: whoever writes many
// files does not wait for as many looks.
const shareBelow = 10

// lookBelow looks at repositories below the workspace, whose settings may lead to
// anywhere in it. Where a look takes long it may be some looks old: what commands make
// meanwhile is judged when they end.
func (g *Guard) lookBelow(ctx context.Context) *look {
	b, began := &g.below, time.Now()
	if b.look != nil && began.Before(b.next) {
		return b.look
	}
	g.seeker.seek(g.workspace, g.doors())
	where := asked{folders: g.seeker.repos, bare: g.seeker.bare}
	if b.look == nil || !b.look.asked.equal(where) || !b.look.stillHolds() {
		if b.read == nil {
			b.read = indexes{}
		}
		l := g.lookAt(ctx, where, b.read)
		if l.effort.interrupted {
			return l
		}
		b.read.keep(l.stamps)
		b.look = l
	}
	b.next = time.Now().Add(shareBelow * time.Since(began))
	return b.look
}
