package protect

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Commands can make more than can be judged in time. It must not stay for that
// reason: new folders are put away unjudged, the uppermost ones as a whole.

// whole puts away what appeared since the running commands began, unjudged: first the names of
// the table in the workspace, which are few, then repositories.
func (g *Guard) whole() (all []Away) {
	e := newEffort(context.Background(), mostTime)
	l := newLook(e, g.workspace, g.paths, indexes{}, &g.shut)
	l.names(g.workspace)
	all, _ = g.judge(e, l)
	reason := fmt.Sprintf("there was more than could be checked in %v, and git runs the programs that repositories name", g.most)
	seen := map[string]bool{}
	for _, repo := range slices.Concat(g.asked.folders, g.asked.bare) {
		if g.had[repo] {
			continue
		}
		part := gitFolder
		if !isThere(filepath.Join(repo, part)) {
			part = "HEAD" // without it, it is no repository
		}
		top := g.sought.uppermost(g.topOf(repo), repo, part)
		if top != "" && !seen[top] && isThere(top) {
			seen[top] = true
			all = append(all, g.putAway(candidate{path: top, why: why{reason: reason}}, candidate{}))
		}
	}
	return all
}

// uppermost is the uppermost folder around a repository that is known to be new, or the part of
// the folder that makes it a repository; empty if that is not known.
func (s sought) uppermost(workspace, repo, part string) string {
	at := workspace
	for name := range strings.SplitSeq(filepath.ToSlash(relTo(workspace, repo)), "/") {
		read, ok := s[at]
		if !ok {
			return ""
		}
		at = filepath.Join(at, name)
		was, ok := read.entries[name]
		switch {
		case ok && was != originOf(at), !ok && read.whole:
			return at
		case !ok:
			return ""
		}
	}
	if _, read := s[at]; read {
		return filepath.Join(at, part)
	}
	return ""
}

// lacked reports whether a repository is known to be new: its folder was read before, or one
// around it in which another folder or none had the name.
func (s sought) lacked(workspace, repo string) bool {
	return s.uppermost(workspace, repo, gitFolder) != ""
}
