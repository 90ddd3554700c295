package protect

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/upward"
)

// Led says why a path of the workspace is protected because git's settings, `.git` files, or
// links at names of the table lead there, at the top of the workspace, in repositories below
// it, and in submodules. ok is false if nothing leads there. With holds, the protected path may
// also lie below it, for a path that is moved or removed as a whole. The path is absolute, with
// links followed.
func (g *Guard) Led(ctx context.Context, path string, holds bool) (by Name, ok bool, err error) {
	select {
	case g.turn <- struct{}{}:
		defer g.free()
	case <-ctx.Done():
		return Name{}, false, context.Cause(ctx)
	}
	l := g.look(ctx, asked{folders: around(g.workspace, filepath.Dir(path)), apart: true})
	homes := g.homes.look(ctx, g)
	for _, c := range slices.Concat(l.found, l.coming, homes.found, homes.coming) {
		if by, ok := g.leads(c, path, holds); ok {
			return by, true, nil
		}
	}
	elsewhere := g.lookBelow(ctx)
	switch {
	case ctx.Err() != nil:
		return Name{}, false, context.Cause(ctx)
	case l.effort.interrupted || homes.effort.interrupted || elsewhere.effort.interrupted:
		return Name{}, false, fmt.Errorf("the protected files in %s could not be checked in %v: remove files in .git there, if a command left very many", g.workspace, g.most)
	}
	for _, c := range slices.Concat(elsewhere.found, elsewhere.coming) {
		if c.via == "" || holds && filepath.IsLocal(relTo(path, c.via)) {
			continue // a repository is moved with all its files
		}
		if by, ok := g.leads(c, path, holds); ok {
			return by, true, nil
		}
	}
	return Name{}, false, nil
}

// Holds says why a path of the workspace is held, also because something leads there, as
// [Guard.Led] does. The path is absolute, with links followed.
func (v *Visit) Holds(path string) (by Name, ok bool) {
	for at := range upward.From(path) {
		if by, ok := v.by[at]; ok {
			return Name{Path: relTo(v.workspace, path), Reason: by.reason, Except: by.except}, true
		}
	}
	return Name{}, false
}

// leads reports whether a candidate leads to a path, or to a folder around it.
func (g *Guard) leads(c candidate, path string, holds bool) (by Name, ok bool) {
	if c.git == gitTop && c.link == "" || g.paths.Excepts(c.except) {
		return Name{}, false
	}
	for _, at := range []string{c.to, c.named(path)} {
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
	next time.Time // of another look
}

// shareBelow is how many times its own duration a look counts: a tool that writes many files
// does not wait for as many looks.
const shareBelow = 10

// lookBelow looks at repositories below the workspace, whose settings may lead anywhere in it.
// If a look takes long, its result may be somewhat old: files that commands make meanwhile are
// judged when they end.
func (g *Guard) lookBelow(ctx context.Context) *look {
	b, began := &g.below, time.Now()
	if b.look != nil && began.Before(b.next) {
		return b.look
	}
	g.seeker.seek(g.workspace, g.doors())
	where := asked{folders: g.seeker.repos, bare: g.seeker.bare, apart: true}
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

// fromHomes is what is known of names in homes that lead into the workspace. Whoever writes many
// files there changes nothing of it, and does not wait for another look at all those names.
type fromHomes struct{ last *look }

// look returns the last look if it still holds, or else a new one.
func (h *fromHomes) look(ctx context.Context, g *Guard) *look {
	if h.last == nil || !h.last.stillHolds() {
		g.shut.tops = []string{g.workspace}
		h.last = newLook(newEffort(ctx, g.most), g.workspace, g.paths, g.read, &g.shut)
		h.last.homes()
	}
	return h.last
}
