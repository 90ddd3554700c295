package protect

import (
	"cmp"
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/upward"
)

// hold takes over what a look found, for the sandbox of a command in cwd.
func (v *Visit) hold(l *look, cwd string) {
	k := kept{paths: map[string]bool{}, tops: l.tops(), wholes: map[string]bool{}}
	for _, dir := range l.pins {
		k.paths[dir] = true
	}
	var held []candidate
	v.by = map[string]why{}
	for _, c := range l.found {
		if c.written() || c.git == gitLink {
			continue
		}
		if v.holdLink(l, &k, c) {
			held = append(held, c)
		}
		if c.to == "" {
			continue
		}
		if pinned, ok := k.paths[c.to]; ok && !pinned {
			continue
		}
		if info, err := os.Stat(c.to); err != nil || c.git == gitTop && info.IsDir() { // it is pinned, and its parts are held
			continue
		}
		k.paths[c.to], v.by[c.to] = false, c.why
		held = append(held, c)
	}
	held = append(held, v.holdSetIDs(&k)...)
	l.holdTrashes(&k)
	k.bounded(cwd)
	var key strings.Builder
	for _, c := range held {
		_, file := k.paths[c.to]
		if _, link := k.paths[c.path]; file || link {
			key.WriteString(c.to + c.id.String() + strconv.FormatInt(c.origin.made, 36) + " ")
		}
	}
	for _, path := range slices.Sorted(maps.Keys(k.paths)) {
		if id, err := idOf(path); err == nil && (k.paths[path] || k.wholes[path]) {
			key.WriteString(path + id.String())
		}
		if k.paths[path] {
			v.Pins = append(v.Pins, path)
		} else {
			v.Held = append(v.Held, path)
		}
	}
	v.Key, v.wholes = key.String(), k.names()
}

// holdLink holds the link of a candidate: who replaces it has another file in place of the one
// that it leads to. One in a folder that is held as a whole is held with that.
func (v *Visit) holdLink(l *look, k *kept, c candidate) bool {
	if _, has := k.paths[c.path]; c.link == "" || has || !l.inside(c.path) {
		return false
	}
	for at := range upward.From(filepath.Dir(c.path)) {
		if pinned, has := k.paths[at]; has && !pinned {
			return false
		}
	}
	k.paths[c.path], v.by[c.path] = false, c.why
	return true
}

// beyond is the path at which the time ended, for people.
func (g *Guard) beyond() string {
	if rel := relTo(g.workspace, g.stopped); rel != "." {
		return rel
	}
	return g.workspace
}

// mostSweeps limits how often a look is repeated because something was put away.
const mostSweeps = 8

// sweep puts away what appeared since the running commands began, unless it is harmless. done
// is false if it did not check everything. alone says that no command runs any more.
func (g *Guard) sweep(ctx context.Context, alone bool) (all []Away, done bool) {
	g.sweeps.Add(1)
	g.owed, g.packing, g.alone, g.copied = true, packLeft{}, alone, map[string]fileID{}
	if alone {
		g.forgetChanged()
	}
	defer g.shut.close()
	all = g.lost()
	for range mostMoves {
		all = append(all, g.follow()...)
		g.restoreModes()
		g.shut.openTop(g.workspace) // otherwise nothing in it can be seen
		var came []Away
		came, done = g.settle(ctx)
		if all = append(all, came...); !g.away() || g.told[elsewhereOnce] {
			break
		}
	}
	if ctx.Err() != nil || done && g.last.effort.steps > 0 && (g.last.effort.listed > 0 || g.crowded) {
		return all, done
	}
	whole := g.whole() //nolint:contextcheck // it has its own time
	if all = append(all, whole...); len(whole) == 0 {
		return all, done
	}
	g.last = nil
	rest, done := g.settle(ctx)
	return append(all, rest...), done
}

// settle looks and judges until nothing has to be put away any more.
func (g *Guard) settle(ctx context.Context) (all []Away, done bool) {
	ctx = withinTime(ctx, g.most)
	g.seekAgain(ctx)
	all = g.unsought()
	for range mostSweeps {
		l := g.look(ctx, g.asked)
		if l == g.judged {
			g.owed = false
			return all, true
		}
		e := newEffort(ctx, g.most)
		came, done := g.judge(e, l)
		all = append(all, slices.DeleteFunc(slices.Clone(came), Away.gone)...)
		g.stopped = cmp.Or(l.effort.at, e.at, g.workspace)
		if !done || l.effort.interrupted {
			break
		}
		moved := slices.ContainsFunc(came, func(away Away) bool { return away.To != "" || away.gone() })
		if !moved && !l.ways.torn { // what could not be moved is in all
			if g.owed = false; len(came) == 0 {
				g.judged = l
			}
			return all, true
		}
		g.last = nil
	}
	return all, false
}

// judge puts away harmful candidates of a look. done is false if the time ended.
func (g *Guard) judge(e *effort, l *look) (all []Away, done bool) {
	fresh := treeOf(g.fresh(l))
	for file, err := range l.unclear {
		if !g.told[file] {
			g.told[file] = true
			all = append(all, Away{Path: relTo(g.workspace, file), Reason: gitReason, Kept: true, Err: err})
		}
	}
	found, moved := slices.Clone(l.found), false
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(g.turnOf(a), g.turnOf(b)) })
	for _, c := range found {
		if !l.inside(c.path) || moved && g.turnOf(c) > 0 { // no command can have made it; or what leads there may be gone or restored
			continue
		}
		was, ok := g.known[c.path]
		if ok && was.late && was.id != c.id { // commands for which it was not held yet wrote there
			ok = false
		}
		if c.git != notGit && fresh.holds(c.path) {
			ok, was.text = false, "" // of another repository
		}
		replaced := ok && c.link == "" && was.link == "" && was.origin != c.origin
		if ok && c.leadsElsewhere(was) {
			ok = false
		}
		if ok && was.shared && was.origin != c.origin { // nobody knows who made it
			if ok, replaced, was.link = false, false, ""; c.git == gitSteps {
				was.text = ""
			}
		}
		if ok && was.link == c.link && !c.written() && !replaced {
			continue
		}
		// It is judged after every change, because commands may write it.
		if id, err := idOf(c.path); err == nil {
			l.stamps[c.path] = id
		}
		if c.git == gitMany && g.then[c.path] != nil {
			came := g.putNew(e, l, c.path, 0)
			all, moved = append(all, came...), moved || len(came) > 0
			continue
		}
		stays := g.mayStay(e, c, was, !ok || c.written() || replaced, replaced)
		switch {
		case !e.inTimeAt(c.path):
			return all, false
		case stays:
		case replaced && c.git == notGit: // not by a command, but one could write it since
			g.known[c.path] = c
			all = append(all, Away{Path: relTo(g.workspace, c.path), Reason: c.reason, Kept: true})
		default:
			away := g.takeAway(e, c, was)
			all, moved = append(all, away), moved || away.To != ""
		}
	}
	if l.effort.listed <= 0 && !moved { // otherwise there may be less now
		all = append(all, g.uncrowd(e, l)...)
	}
	return all, e.inTimeAt(g.workspace)
}

// mayStay reports whether a new or replaced file is harmless. If it is judged by its content, a
// copy stays, once no command runs that could write it.
func (g *Guard) mayStay(e *effort, c, was candidate, isNew, replaced bool) bool {
	harmless := func(text string) bool {
		switch {
		case len(text) > maxGitFile || strings.Contains(text, nul):
			return false
		case replaced && c.git == gitPart:
			return harmlessChange(was.text, text) && c.worksNear(e, text, was.text)
		}
		return isNew && c.harmlessText(e, g.workspace, g.asked.git, text)
	}
	switch info, err := os.Lstat(c.path); {
	case err != nil:
		return false
	case c.git == gitTop && c.link == "" && info.IsDir(): // its parts are judged one by one
		return isNew
	case !c.isText():
		return isNew && c.harmless(was.text)
	case g.alone && c.id != (fileID{}): // on systems that confine commands
		return g.keepCopy(c, harmless)
	}
	text, ok := readSmall(c.path)
	return ok && harmless(text)
}

// leadsElsewhere reports whether a file .git leads to another folder than before, by a link on
// the way. If it leads nowhere, git runs nothing.
func (c candidate) leadsElsewhere(was candidate) bool { return c.leads != "" && c.leads != was.leads }

// turnOf orders the judging: files .git that lead elsewhere than before come last, because a
// link on the way may be restored.
func (g *Guard) turnOf(c candidate) int {
	switch was, ok := g.known[c.path]; {
	case ok && c.leadsElsewhere(was):
		return 2
	case c.via != "":
		return 1
	}
	return 0
}

// takeAway puts a harmful file away, and describes the result.
func (g *Guard) takeAway(e *effort, c, was candidate) Away {
	if c.git == gitPart && c.link == "" {
		c.rest = c.harmlessRest(e, c.text)
	}
	away := g.putAway(c, was)
	if known, ok := g.known[c.path]; ok && away.Back && was.link != "" {
		known.id, _ = idOf(c.path) // the earlier link
		known.origin = originOf(c.path)
		g.known[c.path] = known
	}
	if c.git == notGit && away.To != "" && !away.Back {
		away.Deleted = g.deletedFrom(e, c.path)
	}
	return away
}

// fresh are the folders whose repository appeared since the running commands began: in place of
// another one, or because git enters it now.
func (g *Guard) fresh(l *look) (dirs []string) {
	for dir := range l.links {
		if !g.links[dir] {
			dirs = append(dirs, dir)
		}
	}
	for _, c := range l.found {
		if was, ok := g.known[c.path]; ok && c.git == gitTop && filepath.Base(c.path) == gitFolder && !was.id.same(c.id) {
			dirs = append(dirs, filepath.Dir(c.path))
		}
	}
	return dirs
}
