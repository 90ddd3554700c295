package main

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/scriptrun/scriptrun/scripttools"
)

// mostTries is how often tools are loaded again because a file changed meanwhile.
const mostTries = 5

// waitTells is after how many looks, one a second, it is told that changes wait for commands.
const waitTells = 5

// again loads the tools once more and gives them to take. What commands leave where tools are
// looked for goes when they end: so that no command waits while tools are checked, they are loaded
// at any time, and taken in a quiet moment if their files are still what was loaded, and still
// accepted. again returns the catalog that is in force then.
func (f *serveFlags) again(ctx context.Context, h *host, dir scripttools.Dir, catalog *scripttools.Catalog, log *slog.Logger, take func(*scripttools.Catalog)) *scripttools.Catalog {
	waited := 0
	meanwhile := func(active int) {
		if left := catalog.Without(gone); left.Len() < catalog.Len() { // that needs no such moment
			take(left)
			catalog = left
		}
		if waited++; waited == waitTells {
			log.Warn("files have changed; they are taken when no command is under way", "commands", active)
		}
	}
	paths := append([]string{canonical(dir.Path)}, h.protected.Further...)
	for tries := 0; tries < mostTries; tries++ {
		h.underway.doubted.Store(false)
		next, err := scripttools.Reload(ctx, h.runner, dir, catalog)
		if ctx.Err() != nil {
			return catalog
		}
		if next == catalog { // the directory cannot be read
			if meanwhile(0); catalog.Len() > 0 {
				warnBroken(log, "the tools stay as they are", err)
			}
			return catalog
		}
		doubted := h.underway.doubted.Load()
		if err == nil && sameTools(next, catalog) { // such as when a file beside a script was written
			return catalog
		}
		same, busy := false, false
		h.quiet.whenIdle(ctx, meanwhile, func() {
			before := h.underway.others(paths)
			same = next.AsLoaded(dir, catalog)
			after := h.underway.others(paths)
			if busy = doubted || before.busy || before != after; !busy && same {
				take(next)
			}
		})
		if busy { // with commands of other processes
			tries = -1
			for wait := true; wait && ctx.Err() == nil; wait = h.underway.others(paths).busy {
				select {
				case <-time.After(quietLooks):
					meanwhile(1)
				case <-ctx.Done():
				}
			}
			continue
		}
		switch {
		case ctx.Err() != nil:
			return catalog
		case !same:
			continue
		case err != nil:
			warnBroken(log, "some tool files keep their last good version", err)
		}
		return next
	}
	log.Warn("tool files change while they are loaded; they are loaded again at their next change")
	return catalog
}

// gone reports whether the file of a tool is not there any more: its user removed it, since commands
// cannot.
func gone(spec *scripttools.ScriptToolSpec) bool {
	_, err := os.Lstat(filepath.FromSlash(spec.Path))
	return errors.Is(err, fs.ErrNotExist)
}

// sameTools reports whether two catalogs have the same tools, made of the same texts.
func sameTools(a, b *scripttools.Catalog) bool {
	of := func(c *scripttools.Catalog) (all []string) {
		for spec := range c.All() {
			all = append(all, spec.Name, spec.Path, spec.Digest)
		}
		return all
	}
	return slices.Equal(of(a), of(b))
}
