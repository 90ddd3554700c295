package main

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"

	"github.com/scriptrun/scriptrun/scripttools"
)

// mostTries is how often tools are loaded again because a file changed meanwhile.
const mostTries = 5

// again loads the tools once more and gives them to take. What commands leave where tools are
// looked for goes when they end: so that no run waits while tools are checked, they are loaded at
// any time, and taken in a quiet moment if their files are still what was loaded. again returns the
// catalog that is in force then.
func (f *serveFlags) again(ctx context.Context, h *host, dir scripttools.Dir, catalog *scripttools.Catalog, log *slog.Logger, take func(*scripttools.Catalog)) *scripttools.Catalog {
	late := func(active int) {
		log.Warn("files have changed; they are taken when no run that may start commands is under way", "runs", active)
	}
	for range mostTries {
		next, err := scripttools.Reload(ctx, h.runner, dir, catalog)
		if ctx.Err() != nil {
			return catalog
		}
		same := false
		h.quiet.whenIdle(ctx, late, func() {
			if same = next.AsLoaded(catalog); same {
				take(next)
			}
		})
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

// accept refuses files outside the directory, of which tools are made, that commands may change
// while the server runs: those that were not known when it started.
func (f *serveFlags) accept(h *host) func(string) error {
	places := f.writable(h.settings)
	return func(file string) error {
		protected := slices.ContainsFunc(h.protected.Further, func(further string) bool {
			rel, err := filepath.Rel(further, file)
			return err == nil && filepath.IsLocal(rel)
		})
		if protected || !places.Hold(file) {
			return nil
		}
		return errors.New("commands may change it while this server runs; start the server again, which protects it")
	}
}
