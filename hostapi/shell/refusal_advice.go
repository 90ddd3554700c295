package shell

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/upward"
)

// sees reports whether commands see a path as the machine has it: it is granted, or
// lies on the way to what is.
func (r *witness) sees(path string) bool {
	if read, _ := r.policy.Grants(path); read || path == "/" {
		return true
	}
	return slices.ContainsFunc(slices.Concat([]string{r.policy.Workspace, r.policy.Own}, r.policy.Read, r.policy.Write),
		func(granted string) bool { return beneath(granted, path) })
}

// leadsOut reports whether a path goes to something that is there and that commands do
// not see. Only the first name that they do not see is looked up: more would tell a
// command what exists where it cannot look.
func (r *witness) leadsOut(path string) bool {
	if r.sees(path) {
		return false
	}
	for at := range upward.From(filepath.Dir(path)) {
		if r.sees(at) {
			break
		}
		path = at
	}
	_, err := os.Lstat(path)
	return filepath.Dir(path) != "/" && err == nil
}

// writing is the refusal to write a file outside. It advises to open the nearest folder
// that exists, since settings that name a missing one are refused. Whether something
// exists that commands cannot see is not looked up.
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
	switch {
	case r.homeOrMore(folder) || beneath(r.policy.Workspace, folder):
		refused.What += fmt.Sprintf("; %s is too much to open: make a folder there for it, and allow that one with [sandbox] write", named(folder))
		return refused
	case ofTheSystem(folder) || r.ofPrograms(folder):
		refused.What += ", which no setting should allow: commands could change what runs outside"
		return refused
	case r.sees(folder) && !mayWrite(folder):
		refused.What += ", where you may not write yourself"
		return refused
	case r.runsOutside(folder):
		refused.What += fmt.Sprintf(" (opening %s lets commands change what runs outside)", named(folder))
	}
	return refused.adding("write", folder)
}

// nearest is the closest folder around a path that exists, as far as may be looked up.
func (r *witness) nearest(path string) string {
	below := ""
	for at := range upward.From(filepath.Dir(path)) {
		switch {
		case at == "/":
		case !r.knows(at):
		case below != "" && filepath.Dir(at) != "/" && isFolder(below): // the first that they do not see
			return below
		case isFolder(at):
			return at
		}
		below = at
	}
	if dir := filepath.Dir(path); strings.Count(dir, "/") > 1 {
		return dir
	}
	return filepath.Clean(path)
}

// knows is sees, or whether a path is on the way to a toolchain.
func (r *witness) knows(path string) bool {
	return r.sees(path) || slices.ContainsFunc(append(filepath.SplitList(r.policy.Path), r.policy.Toolchains...), func(tool string) bool { return beneath(tool, path) })
}

// homeOrMore reports whether a folder is a home, holds one, or is for everybody's files.
func (r *witness) homeOrMore(folder string) bool {
	homes := []string{"/root", "/home", "/tmp", "/var/tmp"}
	if home := r.grants().home; filepath.IsAbs(home) {
		homes = append(homes, filepath.Clean(home), resolvedOr(home))
	}
	return filepath.Dir(folder) == "/home" || slices.ContainsFunc(homes, func(home string) bool { return beneath(home, folder) })
}

// resolvedOr is a path with its links followed, or unchanged where that fails.
func resolvedOr(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	return filepath.Clean(path)
}

// reading is the refusal to read a file outside.
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

// readable advises to open the folder around a path, or the path alone where that folder
// holds other things too. It never advises to open a home.
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

// ofAnApplication reports whether a folder is in a dot folder of a home, where programs
// keep settings and credentials.
func (r *witness) ofAnApplication(folder string) bool {
	for at := range upward.From(folder) {
		if strings.HasPrefix(filepath.Base(at), ".") && r.homeOrMore(filepath.Dir(at)) {
			return true
		}
	}
	return false
}

// ofTheMachine is why no setting should allow a path; empty where one may.
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

// ofPrograms reports whether a folder holds, or is within, a folder of the operator's PATH or a
// toolchain. What lies in the workspace is the project's.
func (r *witness) ofPrograms(folder string) bool {
	return slices.ContainsFunc(append(filepath.SplitList(r.grants().path), r.policy.Toolchains...), func(dir string) bool {
		return filepath.IsAbs(dir) && !beneath(dir, r.policy.Workspace) && (beneath(folder, dir) || beneath(dir, folder))
	})
}

// ofTheSystem reports whether a folder is one of the system's own, in one, or above one.
func ofTheSystem(folder string) bool {
	return folder == "/" || folder == "/var" || slices.ContainsFunc([]string{
		"/etc", "/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/boot", "/dev", "/var/spool", "/var/lib", "/System", "/Applications", "/Library",
	}, func(dir string) bool { return beneath(folder, dir) })
}

// runsOutside reports whether a folder holds, or is within, what people or servers run.
func (r *witness) runsOutside(folder string) bool {
	inGit := slices.ContainsFunc(strings.Split(folder, "/"), func(name string) bool { return name == ".git" || strings.HasSuffix(name, ".git") })
	return inGit || beneath(folder, "/var/www") || beneath(folder, "/srv/www") || r.ofAnApplication(folder) || r.namedAtHome(folder)
}

// namedAtHome reports whether a folder is, holds or is within a protected name of a home,
// or the settings in force.
func (r *witness) namedAtHome(folder string) bool {
	paths := r.command.Sandbox.in(r.command.Context).protected(r.grants().home)
	if _, ok := paths.AtHome(folder); ok || paths.OfSettings(folder) {
		return true
	}
	return slices.ContainsFunc(paths.Settings, func(path string) bool { return beneath(path, folder) })
}

// grants are what the operator grants the command.
func (r *witness) grants() grants { return r.command.Context.granted() }

// onTheWay reports whether a path lies in a temporary folder that commands see only
// because it leads to what they are granted. They can make nothing there.
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
