package shell

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// sees reports whether commands have a folder where the machine has it: it is granted,
// or lies on the way to what is.
func (r *witness) sees(path string) bool {
	if read, _ := r.policy.Grants(path); read || path == "/" {
		return true
	}
	return slices.ContainsFunc(slices.Concat([]string{r.policy.Workspace, r.policy.Own}, r.policy.Read, r.policy.Write),
		func(granted string) bool { return beneath(granted, path) })
}

// leadsOut reports whether a path goes to something outside that commands do not see. No
// more is asked than the first name that they do not: each further answer would tell a
// command what there is where it cannot look.
func (r *witness) leadsOut(path string) bool {
	if r.sees(path) {
		return false
	}
	for !r.sees(filepath.Dir(path)) {
		path = filepath.Dir(path)
	}
	_, err := os.Lstat(path)
	return filepath.Dir(path) != "/" && err == nil
}

// writing is a file outside that was not written, with the nearest folder that is there:
// settings that name one that is not are refused. Of what commands cannot see it is not
// asked whether it is there.
func (r *witness) writing(path string) Refusal {
	refused := Refusal{What: "writing " + named(path), Probably: true}
	if why := ofTheMachine(path); why != "" {
		refused.What += ", which no setting should allow: " + why
		return refused
	}
	folder := r.nearest(path)
	path = filepath.Clean(path)
	if r.policy.Hides(path) || r.policy.Hides(folder) {
		return hidden(path)
	}
	refused.What = "writing " + named(path)
	if r.homeOrMore(folder) {
		refused.What += fmt.Sprintf("; %s is too much to open: make a folder there for it, and allow that one with [sandbox] write", named(folder))
		return refused
	}
	if r.sees(folder) && !mayWrite(folder) {
		refused.What += ", where you may not write yourself"
		return refused
	}
	if r.runsOutside(folder) {
		refused.What += fmt.Sprintf(" (opening %s lets commands change what runs outside)", named(folder))
	}
	return refused.adding("write", folder)
}

// nearest is the folder that is there, as far as may be asked, and next to what is to be
// made in it.
func (r *witness) nearest(path string) string {
	for at, below := filepath.Dir(path), ""; at != "/"; at, below = filepath.Dir(at), at {
		switch {
		case !r.knows(at):
		case below != "" && filepath.Dir(at) != "/" && isFolder(below): // the first that they do not see
			return below
		case isFolder(at):
			return at
		}
	}
	if dir := filepath.Dir(path); strings.Count(dir, "/") > 1 {
		return dir
	}
	return filepath.Clean(path)
}

// knows is sees, and of what leads to the toolchains that were found.
func (r *witness) knows(path string) bool {
	return r.sees(path) || slices.ContainsFunc(append(filepath.SplitList(r.policy.Path), r.policy.Toolchains...), func(tool string) bool { return beneath(tool, path) })
}

// homeOrMore reports whether a folder is a home, or holds one, or what is everybody's.
func (r *witness) homeOrMore(folder string) bool {
	homes := []string{"/root", "/home", "/tmp", "/var/tmp"}
	if home := r.grants().home; filepath.IsAbs(home) {
		homes = append(homes, filepath.Clean(home), resolvedOr(home))
	}
	return filepath.Dir(folder) == "/home" || slices.ContainsFunc(homes, func(home string) bool { return beneath(home, folder) })
}

// resolvedOr is a path with its links followed, or as it is where they lead nowhere.
func resolvedOr(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	return filepath.Clean(path)
}

// reading is a file outside that was not read.
func (r *witness) reading(path string) Refusal {
	refused := Refusal{What: "reading " + named(path), Probably: true}
	if why := ofTheMachine(path); why != "" {
		refused.What += ", which no setting should allow: " + why
		return refused
	}
	if r.temporary(path) {
		refused.What += ", where each command has a folder of its own"
	}
	return r.readable(refused, path)
}

// readable names what would have to be read: the folder that a path lies in, or the path
// alone where that folder holds more than belongs to it. A home is not named at all.
func (r *witness) readable(refused Refusal, path string) Refusal {
	path = filepath.Clean(path)
	if homes := r.command.Sandbox.Homes; homes != "" && (beneath(path, homes) || beneath(path, resolvedOr(homes))) {
		refused.What += ", which no setting should allow: it belongs to the commands of another workspace"
		return refused
	}
	if r.homeOrMore(path) {
		refused.What += fmt.Sprintf("; %s is too much to open: name what it needs of it with [sandbox] read", named(path))
		return refused
	}
	folder := filepath.Dir(path)
	if strings.Count(folder, "/") < 2 || r.homeOrMore(folder) || beneath(r.policy.Workspace, folder) || r.ofAnApplication(folder) {
		folder = path
	}
	if r.policy.Hides(path) || r.policy.Hides(folder) {
		return hidden(path)
	}
	return refused.adding("read", folder)
}

// ofAnApplication reports whether a folder lies in one of a home whose name begins with a
// dot. Programs keep settings there, and what they are let in with.
func (r *witness) ofAnApplication(folder string) bool {
	for at := folder; at != "/"; at = filepath.Dir(at) {
		if strings.HasPrefix(filepath.Base(at), ".") && r.homeOrMore(filepath.Dir(at)) {
			return true
		}
	}
	return false
}

// ofTheMachine is why no setting is named for a path; empty where one may be.
func ofTheMachine(path string) string {
	in := func(folder string) bool { return beneath(path, folder) }
	switch {
	case slices.ContainsFunc([]string{"/proc", "/sys"}, in):
		return "it changes the machine for all that runs there"
	case !beneath(path, "/run/media") && slices.ContainsFunc([]string{"/run", "/var/run"}, in):
		return "sockets and files there lead to what runs outside"
	}
	return ""
}

// runsOutside reports whether a folder holds, or lies in, what people and the system
// run: what is on the operator's PATH, and the system's own folders.
func (r *witness) runsOutside(folder string) bool {
	for _, dir := range append(slices.Concat(filepath.SplitList(r.grants().path), r.policy.Toolchains), "/etc", "/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/boot") {
		if filepath.IsAbs(dir) && (beneath(folder, dir) || beneath(dir, folder)) {
			return true
		}
	}
	for _, dir := range []string{"/var/spool", "/var/lib", "/var/www", "/srv/www", "/Applications", "/Library"} { // what lies above is as wide
		if beneath(folder, dir) || folder == "/var" {
			return true
		}
	}
	inGit := slices.ContainsFunc(strings.Split(folder, "/"), func(name string) bool { return name == ".git" || strings.HasSuffix(name, ".git") })
	return inGit || r.ofAnApplication(folder) || r.namedAtHome(folder)
}

// namedAtHome reports whether a folder is one of the table's names as they are in a home,
// lies in one, or holds one.
func (r *witness) namedAtHome(folder string) bool {
	paths := r.command.Sandbox.protected(r.grants().home)
	if _, ok := paths.AtHome(folder); ok || paths.OfSettings(folder) {
		return true
	}
	return slices.ContainsFunc(paths.Settings, func(path string) bool { return beneath(path, folder) })
}

// grants are those that the command has from the operator.
func (r *witness) grants() grants { return r.command.Context.granted() }

// onTheWay reports whether a path lies in a folder for temporary files, and there below
// one that commands have only because it leads to what they are granted. Nothing can be
// made there.
func (r *witness) onTheWay(path string) bool {
	if read, _ := r.policy.Grants(path); read {
		return false
	}
	top := temporaryTop(path)
	return top != "" && (r.sees(top) || top == path && r.sees(filepath.Dir(top)))
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
