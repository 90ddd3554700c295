package protect

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Setting is the setting that takes a path out of protection, as people write it.
const Setting = "[sandbox] unprotect"

// Paths say what is protected in a workspace. The zero Paths is the table of [Names]. It must
// not change while it is in use.
type Paths struct {
	// Further are more protected files and folders, absolute, such as a directory of tools, and
	// the links on the way to them. What lies where commands do not write needs no protection.
	Further []string
	// Except are exceptions, named as in the table, or relative to the workspace for Further:
	// ".vscode", ".git/hooks". A folder excepts all protected paths below it. An exception
	// counts in all folders.
	Except []string
	// Settings are the settings in force and the audit log, absolute: files and folders that no
	// command and no tool writes, wherever it may write. Except does not apply to them. Those
	// in the workspace have their links followed. If a command takes its owner's rights on a
	// folder above one of them, a [Guard] gives them back.
	Settings []string
	// Trash is the folder, absolute, in which a [Guard] keeps what it puts away; commands do
	// not see it. If it is empty or cannot be made, packed files go to [Trash] of the
	// workspace; so do files that cannot be packed if Trash is on another file system.
	Trash string
	// Homes are home folders, absolute and with links followed. The table's names also count
	// from there, in folders outside the workspace that commands may write.
	Homes []string
	// Elsewhere are folders or files that stand for parts of a home: that of XDG_CONFIG_HOME
	// for ".config", that of GIT_CONFIG_GLOBAL for ".gitconfig". One may stand for several. A
	// relative one counts from each working folder.
	Elsewhere map[string][]string
}

// Match says what protects a path of a workspace, which may not exist; ok is false for a path
// that may be written. The path and the workspace are absolute, with links followed. Names
// count in every folder, in any case of letters. So do the parts of a folder that is a
// repository of its own, such as a bare one, and the part that would make it one.
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
	by, ok = p.atHome(at, workspace)
	by.Path = filepath.ToSlash(rel)
	return by, ok
}

// MatchKeys is Match for paths that only the file tools must not write: the file that keeps git
// from the trash, and places of keys that programs obey. Commands do not see such places, and
// results name those that a command made; a file that somebody else puts there meanwhile must
// not go to the trash.
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

// listed is the name of a table that begins at one part of a path.
func (p Paths) listed(table []named, parts []string, i int) (by Name, ok bool) {
	for _, name := range table {
		n := 1 + strings.Count(name.path, "/")
		if i+n <= len(parts) && name.is(strings.Join(parts[i:i+n], "/")) && !p.Excepts(name.path) {
			return Name{Path: strings.Join(parts[:i+n], "/"), Reason: name.reason, Except: name.path}, true
		}
	}
	return Name{}, false
}

// furtherReason is why the operator's own paths are protected.
const furtherReason = "scriptrun takes tools or settings from it"

// Holds says what is protected below a folder of the workspace, so that the folder must not be
// moved or replaced; names in folders below the top do not count.
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

// Excepts reports whether an exception covers a name of the table, or a part of a repository
// such as ".git/hooks".
func (p Paths) Excepts(name string) bool {
	return slices.ContainsFunc(p.Except, func(except string) bool {
		return name == except || strings.HasPrefix(name, except+"/")
	})
}

// exceptions are the parts of a repository that can be excepted.
func exceptions() []string { return slices.Concat(gitParts, gitStates, []string{resolutions}) }

// partOf is the one of these parts in which a path of a repository's folder lies, of the
// repository itself or of a submodule; empty for none.
func partOf(below []string) string {
	for _, name := range below {
		if slices.Contains(gitParts, name) || slices.Contains(gitStates, name) || name == resolutions {
			return name
		}
	}
	return ""
}

// Check refuses exceptions for names that are not protected.
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
