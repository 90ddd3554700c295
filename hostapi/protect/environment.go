package protect

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// stands are the variables that name a part of a home, with that part.
var stands = [][2]string{
	{"HOME", ""}, {"XDG_CONFIG_HOME", ".config"}, {"XDG_DATA_HOME", ".local/share"}, {"XDG_CACHE_HOME", ".cache"}, {"ZDOTDIR", ""}, {"GIT_CONFIG_GLOBAL", ".gitconfig"}, {"GIT_CONFIG_SYSTEM", ".gitconfig"},
}

// InEnvironment returns the paths with what the variables of an environment name, as they stand
// and with links followed: the homes, and what stands for a part of one. The environment is a
// list as of [os.Environ], in which the last entry of a name counts. Where a whole home lies in
// one of the writable folders, each folder of PATH in it stands for its .local/bin: the user's
// shells find programs there. In a project that is the workspace they are the project's.
//
// Whoever writes in a workspace asks it, and no other code makes such paths: what commands must
// not write and what file tools must not write is the same.
func (p Paths) InEnvironment(environment []string, writable ...string) Paths {
	named := map[string]string{}
	for _, entry := range environment {
		if name, value, ok := strings.Cut(entry, "="); ok {
			named[name] = value
		}
	}
	p.Homes, p.Elsewhere = slices.Clone(p.Homes), maps.Clone(p.Elsewhere)
	if p.Elsewhere == nil {
		p.Elsewhere = map[string][]string{}
	}
	for _, v := range stands {
		if path := named[v[0]]; path != "" {
			p.stand(filepath.Clean(path), v[1], v[0] == "HOME")
		}
	}
	home := named["HOME"]
	if !filepath.IsAbs(home) || !holds(writable, home) {
		return p
	}
	for _, folder := range filepath.SplitList(named["PATH"]) {
		if folder = resolvedOr(folder); filepath.IsAbs(folder) && holds([]string{home}, filepath.Dir(folder)) {
			p.standsFor(folder, ".local/bin")
		}
	}
	return p
}

// stand notes a path that stands for a part of a home, or is one. Git takes a relative path
// from the folder in which it runs.
func (p *Paths) stand(path, part string, home bool) {
	to := resolvedOr(path)
	if home && filepath.IsAbs(path) && to != "/" && !slices.Contains(p.Homes, to) {
		p.Homes = append(p.Homes, to)
	}
	if !home || to != path || !filepath.IsAbs(path) {
		p.standsFor(path, part)
	}
	if !home && to != path && filepath.IsAbs(path) {
		p.standsFor(to, part)
	}
}

// standsFor notes it, once. The lists may be shared with others.
func (p *Paths) standsFor(path, part string) {
	if parts := p.Elsewhere[path]; !slices.Contains(parts, part) {
		p.Elsewhere[path] = append(slices.Clone(parts), part)
	}
}

// holds reports whether a path lies in one of some folders, by their names or where these lead.
func holds(folders []string, path string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool {
		return filepath.IsAbs(folder) && (filepath.IsLocal(relTo(folder, path)) || filepath.IsLocal(relTo(resolvedOr(folder), path)))
	})
}

// resolvedOr is a path with its links followed, or unchanged where that fails.
func resolvedOr(path string) string {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		return to
	}
	return filepath.Clean(path)
}
