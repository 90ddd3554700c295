package sandbox

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/upward"
)

// bind is one file or folder of the host in a view. A path through links is in the view
// under both names.
type bind struct {
	path  string
	from  string // with links followed
	write bool
}

// byLinks takes the second names of what commands may write out of binds. What is protected
// in it, or hidden, is so at its real path: by its second name a view reaches it through a
// link of the view's own.
func byLinks(all []bind) (mounts []bind, links map[string]string) {
	links = map[string]string{}
	mounts = slices.DeleteFunc(slices.Clone(all), func(b bind) bool {
		second := b.path != b.from && slices.ContainsFunc(all, func(w bind) bool { return w.write && w.path == w.from && beneath(b.from, w.path) })
		if second {
			links[b.path] = b.from
		}
		return second
	})
	// Nothing is made or mounted through one of the links: where there is no view yet, they
	// lead to the host's own folders.
	through := func(path string) bool {
		for at := range upward.From(filepath.Dir(path)) {
			if links[at] != "" {
				return true
			}
		}
		return false
	}
	mounts = slices.DeleteFunc(mounts, func(b bind) bool { return through(b.path) })
	for path := range maps.Clone(links) {
		if through(path) {
			delete(links, path)
		}
	}
	return mounts, links
}

// binds are the paths that a policy grants, parents first. A path that a parent already
// grants with the same right is left out.
func binds(p Policy) []bind {
	var all []bind
	for _, path := range append(slices.Clone(systemFolders), "/etc") {
		if path != "/proc" {
			all = append(all, bind{path: path, from: path})
		}
	}
	granted := p.grants()
	writable := p.writable()
	places := p.places()
	add := func(paths []string, write bool) {
		for _, path := range paths {
			from, ok := places.Follow(path)
			if !ok || path == "" || beneath(from, "/proc") {
				continue // a missing path grants nothing, and a view has its own /proc
			}
			all = append(all, bind{path: from, from: from, write: write})
			if path != from {
				all = append(all, bind{path: path, from: from, write: write})
			}
		}
	}
	for named, resolved := range granted.named(p.changeable()) {
		all = append(all, bind{path: resolved, from: resolved}, bind{path: named, from: resolved})
	}
	add(slices.Concat([]string{p.Workspace}, p.Read, p.network()), false)
	add(writable, true)
	slices.SortStableFunc(all, func(a, b bind) int { return strings.Compare(a.path, b.path) })
	var kept []bind
	for _, b := range all {
		if !filepath.IsAbs(b.path) {
			continue
		}
		covered := false
		for i, k := range kept {
			switch {
			case k.path == b.path && k.from == b.from:
				kept[i].write = k.write || b.write
				covered = true
			case beneath(b.path, k.path) && sameBelow(b, k):
				inTemps := strings.Contains(b.from[len(k.from):], "/"+tempsPrefix) // which a view covers
				covered = covered || (k.write == b.write || k.write) && !inTemps
			}
		}
		if !covered {
			kept = append(kept, b)
		}
	}
	return kept
}

// sameBelow reports whether k already shows, at b's path, the file that b binds.
func sameBelow(b, k bind) bool {
	rel, err := filepath.Rel(k.path, b.path)
	return err == nil && filepath.Join(k.from, rel) == b.from
}

// network are the resolver's files that may lie beneath /run.
func (p Policy) network() []string {
	if p.Network != NetworkFull {
		return nil
	}
	return []string{"/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager/resolv.conf"}
}
