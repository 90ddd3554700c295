package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// underway tells other processes of the user where commands of this one write, as long as there are
// any: what these leave where tools are looked for is no tool. It is told as what is served is. The
// zero value tells nothing.
type underway struct {
	folder string          // where it is told; empty for nowhere
	places []string        // where commands write; none if they write nowhere
	held   func() []string // what they do not write all the same; nil for nothing
	failed func(error)     // is called once, if it cannot be told

	doubted atomic.Bool // a file was doubted since this was last cleared

	mu     sync.Mutex
	silent bool // failed was called
	active int
	own    string // the name of the file in which it is told
	end    func()
}

func underwayFolder() string { return toldFolder("underway") }

// Around counts calls that start commands, until what they left is put away.
func (u *underway) Around(ctx context.Context, call hostapi.Call, next hostapi.Next) (hostapi.Result, error) {
	if call.Refused != nil || call.Tool != "bash" && call.Tool != "git" {
		return next(ctx)
	}
	u.begin()
	defer u.finish()
	return next(ctx)
}

func (u *underway) begin() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.active++; u.active == 1 && len(u.places) > 0 {
		var held []string
		if u.held != nil {
			held = u.held()
		}
		var err error
		if u.own, u.end, err = sayServed(u.folder, u.places, nil, held); err != nil && !u.silent && u.failed != nil {
			u.silent = true
			u.failed(err)
		}
	}
}

func (u *underway) finish() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.active--; u.active == 0 && u.end != nil {
		u.end()
	}
}

// others looks for commands of other processes. It is asked before and after files are read: none
// was under way in between if both looks are equal, and free.
func (u *underway) others(paths []string) (look othersLook) {
	if info, err := os.Stat(u.folder); err == nil {
		look.changed = info.ModTime()
	}
	said := u.told()
	if len(said) == 0 {
		return look
	}
	for _, path := range paths {
		way := wayOf(path)
		for _, said := range said {
			look.busy = look.busy || slices.ContainsFunc(said.places, func(p place) bool { return !p.Held && way.meets(p) })
		}
	}
	return look
}

// told is what other processes tell.
func (u *underway) told() []saying {
	u.mu.Lock()
	own := u.own
	u.mu.Unlock()
	return toldElsewhere(u.folder, own, true)
}

// doubts reports whether a command of another process that is under way may have made a file, changed
// it, or moved it there with a folder. What that process holds, none did.
func (u *underway) doubts(path string) bool {
	said := u.told()
	if len(said) == 0 {
		return false
	}
	way := wayOf(path)
	doubted := slices.ContainsFunc(said, func(said saying) (changed bool) {
		for _, place := range said.places {
			below, lies := way.below(place)
			if place.Held {
				if lies && way.passes(place) {
					return false
				}
				continue
			}
			changed = changed || lies && (changedSince(path, said.since) || below.changedSince(said.since))
		}
		return changed
	})
	if doubted {
		u.doubted.Store(true)
	}
	return doubted
}

// heldIn are the protected paths that no command writes here: what the sandbox enforces, without exceptions.
func (h *host) heldIn(workspace string) (held []string) {
	enforced := func(m hostapi.Measure) bool { return m.Name == "protected paths" && m.Gap == "" }
	if h.settings.Sandbox.Profile == shell.ProfileOff || !slices.ContainsFunc(h.shell.Confinement(), enforced) {
		return nil
	}
	for _, path := range h.protected.Further {
		if rel, err := filepath.Rel(workspace, canonical(path)); err == nil && !h.protected.Excepts(filepath.ToSlash(rel)) {
			held = append(held, path)
		}
	}
	return held
}

type othersLook struct {
	changed time.Time // when a process last told something; the system keeps it
	busy    bool      // commands are under way where tools are looked for
}
