package protect

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Setting is the setting that takes something out of protection, as people
// write it.
const Setting = "[sandbox] unprotect"

// Paths are what is protected in a workspace. The zero Paths is the table's
// names. It is not changed once it is in use.
type Paths struct {
	// Further are more files and folders that are protected, absolute, such as a
	// directory of tools. Those outside the workspace do not matter.
	Further []string
	// Except are those that are not, as the table, or Further relative to the
	// workspace, has them: ".vscode", ".git/hooks". A folder takes in all that is
	// protected below it. The same name is excepted in all folders.
	Except []string
	// Settings are those in force, and a log of what scripts did, absolute: files and
	// folders that no command and no tool writes, wherever it may write otherwise. No
	// exception takes them out. Those in the workspace have their links followed.
	Settings []string
	// Trash is a folder, absolute, in which a [Guard] keeps what it puts away: outside of what
	// commands see. Where it is empty or cannot be made, a packed file stays in [Trash] of the
	// workspace, and so does what cannot be packed where Trash is of another file system.
	Trash string
	// Homes are home folders, absolute and with links followed. The table's names count
	// from there too, in folders outside the workspace that commands may write.
	Homes []string
	// Elsewhere are folders, as Homes are, or files that stand for a part of a home: that of
	// XDG_CONFIG_HOME for ".config", that of GIT_CONFIG_GLOBAL for ".gitconfig". One may
	// stand for several. A relative one counts from each folder that somebody works in.
	Elsewhere map[string][]string
}

// Match is what protects a path of a workspace that is there or could be; ok is
// false for a path that anybody may write. The path is absolute, with links
// followed, and so is the workspace. Names count in every folder, in any case
// of letters. So do the parts of a folder that is a repository of its own, such as a
// bare one, and the part that would make it one.
func (p Paths) Match(workspace, at string) (by Name, ok bool) {
	rel, err := filepath.Rel(workspace, at)
	if err != nil || !filepath.IsLocal(rel) {
		return Name{}, false
	}
	if p.OfSettings(at) {
		return Name{Path: filepath.ToSlash(rel), Reason: settingsReason}, true
	}
	parts := strings.Split(filepath.ToSlash(rel), "/")
	for _, further := range p.Further {
		rel := relTo(workspace, further)
		if below, err := filepath.Rel(further, at); err == nil && filepath.IsLocal(below) && !p.Excepts(rel) {
			return Name{Path: rel, Reason: furtherReason, Except: rel}, true
		}
	}
	for i, part := range parts {
		by := ofGit(partOf(parts[i+1:]))
		if strings.EqualFold(part, gitFolder) && !p.Excepts(by.except) {
			return Name{Path: strings.Join(parts[:i+1], "/"), Reason: by.reason, Except: by.except}, true
		}
		if by, ok := inRepository(filepath.Join(workspace, filepath.Join(parts[:i]...)), part); ok && !slices.Contains(parts[:i], gitFolder) && !p.Excepts(by.except) {
			return Name{Path: strings.Join(parts[:i+1], "/"), Reason: by.reason, Except: by.except}, true
		}
		if by, ok := p.listed(names, parts, i); ok {
			return by, true
		}
	}
	by, ok = p.AtHome(at)
	by.Path = filepath.ToSlash(rel)
	return by, ok
}

// MatchKeys is Match for what else the tools for files do not write: what keeps git from the
// trash, and places of keys that programs act by. A command does not see those where they
// are there, and is told where it made one: what somebody puts there meanwhile must not
// come to the trash, which commands read.
func (p Paths) MatchKeys(workspace, at string) (by Name, ok bool) {
	rel, err := filepath.Rel(workspace, at)
	if err != nil || !filepath.IsLocal(rel) {
		return Name{}, false
	}
	parts := strings.Split(filepath.ToSlash(rel), "/")
	for i := range parts {
		if by, ok := p.listed(keys, parts, i); ok {
			return by, true
		}
	}
	return Name{}, false
}

// listed is a name of a table that begins at one of the parts of a path.
func (p Paths) listed(table []named, parts []string, i int) (by Name, ok bool) {
	for _, name := range table {
		n := 1 + strings.Count(name.path, "/")
		if i+n <= len(parts) && strings.EqualFold(strings.Join(parts[i:i+n], "/"), name.path) && !p.Excepts(name.path) {
			return Name{Path: strings.Join(parts[:i+n], "/"), Reason: name.reason, Except: name.path}, true
		}
	}
	return Name{}, false
}

// furtherReason is why what an operator names is protected.
const furtherReason = "scriptrun takes tools or settings from it"

// Holds is what is protected at its place below a folder of the workspace, so
// that the folder cannot be moved away or replaced; names in folders below the
// top do not count.
func (p Paths) Holds(workspace, folder string) (by Name, ok bool) {
	rel := relTo(workspace, folder)
	for _, path := range p.Settings {
		if at := relTo(workspace, path); strings.HasPrefix(at, rel+"/") {
			return Name{Path: at, Reason: settingsReason}, true
		}
	}
	for _, further := range p.Further {
		if at := relTo(workspace, further); at != rel && strings.HasPrefix(at, rel+"/") && !p.Excepts(at) {
			return Name{Path: at, Reason: furtherReason, Except: at}, true
		}
	}
	for _, name := range names {
		if strings.HasPrefix(name.path, rel+"/") && !p.Excepts(name.path) {
			return Name{Path: name.path, Reason: name.reason, Except: name.path}, true
		}
	}
	return Name{}, false
}

func relTo(workspace, at string) string {
	rel, err := filepath.Rel(workspace, at)
	if err != nil {
		return at
	}
	return filepath.ToSlash(rel)
}

// Excepts reports whether something is not protected that otherwise is, by its
// name in the table or, of a repository, such as ".git/hooks".
func (p Paths) Excepts(name string) bool {
	return slices.ContainsFunc(p.Except, func(except string) bool {
		return name == except || strings.HasPrefix(name, except+"/")
	})
}

// exceptions are the parts of a repository that can be excepted.
func exceptions() []string { return slices.Concat(gitParts, gitStates, []string{resolutions}) }

// partOf is which of these parts a path in a repository's folder lies in, of
// the repository or of one of its submodules; empty for none.
func partOf(below []string) string {
	for _, name := range below {
		if slices.Contains(gitParts, name) || slices.Contains(gitStates, name) || name == resolutions {
			return name
		}
	}
	return ""
}

// Check refuses an exception from nothing.
func (p Paths) Check(workspace string) error {
	for _, except := range p.Except {
		known := except == gitFolder || slices.ContainsFunc(exceptions(), func(part string) bool { return except == path.Join(gitFolder, part) })
		if below, ok := strings.CutPrefix(except, gitFolder+"/"); ok {
			known = known || isWrittenName(below)
		}
		known = known || slices.ContainsFunc(p.Further, func(further string) bool { return relTo(workspace, further) == except })
		known = known || slices.ContainsFunc(slices.Concat(names, keys), func(n named) bool {
			return n.path == except || strings.HasPrefix(n.path, except+"/")
		})
		if !known {
			return fmt.Errorf("%q is not protected; expected a name such as %q, %q or %q, as docs/commands.md lists them", except, ".vscode", ".git/config", "scriptrun.toml")
		}
	}
	return nil
}
