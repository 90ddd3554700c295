package protect

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// What commands have as their home is not looked at: programs keep there what they like.
// So nothing that they make leads there from where somebody works.

const ownReason = "it leads to where commands write what nobody looks at"

// mostLinks is how many links to elsewhere are followed.
const mostLinks = 4096

// leaves reports whether a link leads out of a folder, as far as its text tells.
func leaves(top, link string) (out bool) {
	to, err := os.Readlink(link)
	if err != nil {
		return false
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(filepath.Dir(link), to)
	}
	return !filepath.IsLocal(relTo(top, to))
}

// linksToOwn are the links, where repositories were sought, that lead to a folder of the
// commands' home, or to what may come there. A link to a file is none: an environment of
// Python's has one to its interpreter.
func (g *Guard) linksToOwn() (links []string) {
	if g.own == "" {
		return nil
	}
	left := mostLinks
	for dir, read := range g.allSought() {
		for _, name := range read.links {
			if left--; left < 0 {
				return links
			}
			link := filepath.Join(dir, name)
			if to, folder := leadsTo(link); folder && filepath.IsLocal(relTo(g.own, to)) {
				links = append(links, link)
			}
		}
	}
	return links
}

// leadsTo is where a path leads, as far as something is there, and whether that is no file.
func leadsTo(path string) (to string, folder bool) {
	for range linkHops {
		if to, err := filepath.EvalSymlinks(path); err == nil {
			info, err := os.Stat(to)
			return to, err == nil && info.IsDir()
		}
		link, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(link) {
			link = filepath.Join(filepath.Dir(path), link)
		}
		path = link
	}
	below := ""
	for at := path; at != filepath.Dir(at); at = filepath.Dir(at) {
		if to, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(to, below), true
		}
		below = filepath.Join(filepath.Base(at), below)
	}
	return path, true
}

// takeLinks puts away the links that came and lead there.
func (g *Guard) takeLinks() (all []Away) {
	for _, link := range g.linksToOwn() {
		if !g.ownLinks[link] {
			away := g.putAway(candidate{path: link, why: why{reason: ownReason}}, candidate{})
			all = append(all, away)
			g.ownLinks[link] = away.To == "" // it is told once
			g.ownLinks[filepath.Join(g.workspace, away.To)] = true
		}
	}
	return all
}

// learnLinks takes those that are there for what was there before.
func (g *Guard) learnLinks() {
	g.ownLinks = map[string]bool{}
	for _, link := range g.linksToOwn() {
		g.ownLinks[link] = true
	}
}

// namesRemote reports whether a setting says which repository git asks, and sends to.
func namesRemote(s setting) bool {
	switch s.section {
	case "remote":
		return s.name == "url" || s.name == "pushurl"
	case "branch":
		return s.name == "remote" || s.name == "pushremote"
	case "submodule":
		return s.name == "url"
	}
	return false
}

// remoteNear reports whether a remote is none of this machine, or a repository that is
// judged or that commands cannot write. Git runs the hooks of one that lies here.
func (h *home) remoteNear(config, value string) bool {
	value = strings.TrimPrefix(value, "file://")
	if isHost, _ := regexp.MatchString(`^[A-Za-z][A-Za-z0-9+.-]*://|^[^/]+:`, value); isHost || value == "." || !strings.Contains(value, "/") && value != ".." {
		return !strings.Contains(value, "::") // a program that git starts
	}
	bases := []string{filepath.Dir(config), filepath.Dir(filepath.Dir(config))}
	if filepath.IsAbs(value) {
		bases = bases[:1]
	}
	for _, base := range bases {
		path := value
		if !filepath.IsAbs(path) {
			path = filepath.Join(base, path)
		}
		to, _ := leadsTo(filepath.Clean(path))
		in := false
		for _, top := range h.tops {
			in = in || filepath.IsLocal(relTo(top, to))
		}
		if in {
			continue
		}
		if _, err := os.Stat(to); err != nil || h.own != "" && filepath.IsLocal(relTo(filepath.Dir(h.own), to)) {
			return false
		}
	}
	return true
}
