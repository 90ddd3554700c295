package protect

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
)

// Led is what protects a path of the workspace because something else leads there:
// git's settings and `.git` files, and links at names of the table, at the top of the
// workspace, around the path, and in submodules. ok is false for a path to which
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
	switch {
	case ctx.Err() != nil:
		return Name{}, false, context.Cause(ctx)
	case l.effort.interrupted:
		return Name{}, false, fmt.Errorf("what is protected in %s could not be looked at in %v: remove files in .git there, if a command left very many", g.workspace, g.most)
	}
	for _, c := range slices.Concat(l.found, l.coming) {
		if c.git == gitTop && c.link == "" || g.paths.Excepts(c.except) {
			continue
		}
		for _, at := range []string{c.to, c.path} {
			rel := relTo(g.workspace, at)
			if at == "" || rel == "." || !filepath.IsLocal(filepath.FromSlash(rel)) {
				continue
			}
			if filepath.IsLocal(relTo(at, path)) || holds && filepath.IsLocal(relTo(path, at)) {
				return Name{Path: rel, Reason: c.reason, Except: c.except}, true, nil
			}
		}
	}
	return Name{}, false, nil
}
