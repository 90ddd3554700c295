package protect

import (
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/upward"
)

// settingsReason is why settings and the audit log are protected.
const settingsReason = "it says what scripts may do, or what they did"

// own looks at the operator's own paths, and at the links on the way to them: whoever replaces a
// link has files of his own in their place.
func (l *look) own() {
	for _, further := range l.paths.Further {
		rel := relTo(l.workspace, further)
		if l.paths.Excepts(rel) || l.isTop(further) {
			continue
		}
		if dir := filepath.Dir(further); l.inside(further) {
			l.stamp(dir)
		}
		l.lead(further, why{furtherReason, rel}, "", notGit)
	}
}

// settings looks at the settings in force where commands may write. A missing one is seen when
// it appears.
func (l *look) settings() {
	for _, path := range l.paths.Settings {
		l.lead(path, why{settingsReason, ""}, "", notGit)
	}
}

// homes looks at the table's names in home folders, also if commands may write only in a part
// of one: in `.config` the name `.config/git` is `git`.
func (l *look) homes() {
	parts := l.paths.parts()
	for _, home := range slices.Sorted(maps.Keys(parts)) {
		for _, part := range parts[home] {
			if filepath.IsAbs(home) {
				l.home(home, part)
				continue
			}
			for _, folder := range slices.Sorted(maps.Keys(l.folders)) {
				l.home(filepath.Join(folder, home), part)
			}
		}
	}
}

// home looks at the names that count in a part of a home.
func (l *look) home(home, part string) {
	for _, name := range names {
		if beginning, many := name.begins(); many {
			if below, ok := cutPart(beginning, part); ok {
				l.beginning(home, below, name)
			}
			continue
		}
		if _, many := name.ends(); many {
			continue // they count in any folder
		}
		below, ok := cutPart(name.path, part)
		path, by := filepath.Join(home, filepath.FromSlash(below)), why{name.reason, name.path}
		if !ok || l.paths.Excepts(name.path) || l.isTop(path) {
			continue
		}
		if !l.inside(path) || !l.stampTo(home, filepath.Dir(path)) {
			l.lead(path, by, "", notGit)
			continue
		}
		before := len(l.found)
		l.add(path, by, notGit)
		if len(l.found) > before {
			l.pinBetween(path)
		}
	}
}

// stampTo notes a home, and each folder in it on the way to another one, so that new entries in
// any of them are seen. It reports whether the last one exists.
func (l *look) stampTo(home, dir string) bool {
	for _, on := range slices.Backward(slices.Collect(upward.Within(home, dir))) {
		if on != dir && !l.stamp(on) {
			return false
		}
	}
	return l.stamp(dir)
}

// isTop reports whether a path is a folder that commands were given by name.
func (l *look) isTop(path string) bool {
	for _, top := range l.tops() {
		if filepath.IsLocal(relTo(path, top)) && top != l.workspace {
			return true
		}
	}
	return false
}

// AtHome says which name of the table protects a path of a home folder.
func (p Paths) AtHome(at string) (by Name, ok bool) { return p.atHome(at, "") }

// atHome is AtHome in a workspace. One that is such a name itself, or lies below one, is what
// the tools and commands are to write: somebody works on the settings of an editor, or of plugins.
func (p Paths) atHome(at, workspace string) (by Name, ok bool) {
	for folder, parts := range p.parts() {
		if !filepath.IsAbs(folder) { // relative to any folder
			before, _, _ := strings.Cut(at+"/", "/"+folder+"/")
			folder = filepath.Join(before, folder)
		}
		rel, err := filepath.Rel(folder, at)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		for _, part := range parts {
			by, ok := p.listed(names, strings.Split(path.Join(part, filepath.ToSlash(rel)), "/"), 0)
			if !ok {
				continue
			}
			below, ok := cutPart(by.Path, part)
			if !ok { // the folder lies in it
				below = ""
			}
			if workspace == "" || !filepath.IsLocal(relTo(filepath.Join(folder, below), workspace)) {
				return by, true
			}
		}
	}
	return Name{}, false
}

// parts are the folders in which names of a home count, with the parts of a home for which each
// stands.
func (p Paths) parts() map[string][]string {
	parts := map[string][]string{}
	maps.Copy(parts, p.Elsewhere)
	for _, home := range p.Homes {
		parts[home] = append(slices.Clone(parts[home]), "")
	}
	return parts
}

// cutPart is the rest of a name in a part of a home.
func cutPart(name, part string) (below string, ok bool) {
	switch part {
	case "":
		return name, true
	case name: // a file
		return "", true
	}
	return strings.CutPrefix(name, part+"/")
}

// OfSettings reports whether a path is one of Settings, or lies in one.
func (p Paths) OfSettings(at string) bool {
	for _, path := range p.Settings {
		if filepath.IsLocal(relTo(path, at)) {
			return true
		}
	}
	return false
}
