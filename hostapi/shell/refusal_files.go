package shell

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/upward"
)

// refusedAllTheSame is what the errors of a command that succeeded say about a protected
// path. On stdout only git's message about its configuration counts, which scripts that
// npm runs print there.
func refusedAllTheSame(command Command, status ExitStatus, out Output) []Refusal {
	r := newWitness(command, out.visit)
	if status.starved {
		return []Refusal{{What: "more memory to processes that ran meanwhile, which the kernel ended", Allow: r.limited("memoryBytes"), Probably: true}}
	}
	stderr, stdout := lastText(out.Stderr), lastText(out.Stdout)
	if command.Pty != nil {
		stderr, stdout = stdout, ""
	}
	for i, text := range []string{stderr, stdout} {
		if !tellings().readOnly.MatchString(text) {
			continue
		}
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			if !tellings().readOnly.MatchString(line) || i > 0 && !tellings().config.MatchString(line) {
				continue
			}
			for _, path := range r.paths(line) {
				if refused, ok := r.protected(path); ok {
					return []Refusal{refused}
				}
			}
		}
	}
	return nil
}

// file is a refusal to read or write a file.
func (r *witness) file(line string) (Refusal, bool) {
	w := tellings()
	readOnly, denied, missing := w.readOnly.MatchString(line), w.denied.MatchString(line), w.missing.MatchString(line)
	if !readOnly && !denied && !missing {
		return Refusal{}, false
	}
	workspace := r.policy.Workspace
	for _, path := range r.paths(line) {
		if missing && !readOnly && !denied && path.relative && !r.leadsOut(path.absolute) && (r.sees(path.absolute) || !r.policy.Hides(path.absolute)) {
			continue // commands see whether it exists, or nothing does
		}
		if refused, ok := r.protected(path); ok && (readOnly || denied && r.policy.Hides(path.absolute)) { // an empty file that only root may write hides it
			return refused, true
		}
		text, path := path.text, path.absolute
		read, write := r.policy.Reaches(path)
		switch {
		case r.hides(path, missing) && (!read || denied || readOnly || r.temporary(path)):
			return hidden(path), true
		case readOnly && !write && beneath(path, workspace):
			return Refusal{What: "writing " + named(r.below(path)), Allow: `[sandbox] profile = "workspace"`, Probably: true}, true
		case readOnly && !write, denied && read && !write && beneath(path, workspace), w.readOnlySystem.MatchString(line) && r.onTheWay(path):
			return r.writing(path), true
		case (denied || missing) && (r.temporary(path) || !read && topIsThere(path)) && r.writes(line, text):
			if strings.HasSuffix(text, "/") {
				path += "/."
			}
			return r.writing(path), true
		case (denied || missing) && (r.temporary(path) || !read && topIsThere(path)):
			return r.reading(path), true
		}
	}
	if w.busy.MatchString(line) { // the file to be replaced is not in the message
		for _, path := range r.paths(r.command.Line + " " + strings.Join(r.command.Argv, " ")) {
			if refused, ok := r.protected(path); ok {
				return refused, true
			}
		}
	}
	if w.readOnlySystem.MatchString(line) && r.policy.Profile == ProfileReadOnly {
		return Refusal{What: "writing", Allow: `[sandbox] profile = "workspace"`, Probably: true}, true
	}
	return Refusal{}, false
}

// toldPath is a path that a message names.
type toldPath struct {
	absolute string
	relative bool // in the message
	text     string
}

// paths are the paths in a message, in order. A relative path is tried from several
// folders, the likeliest first.
func (r *witness) paths(line string) (all []toldPath) {
	folders := []string{r.command.Context.Cwd()}
	if top := r.top(); top != "" && saysGit(line) {
		folders = slices.Compact([]string{top, folders[0]})
	}
	for _, path := range r.toldOf(line) {
		switch {
		case path == "" || strings.Contains(path, "://") || len(path) > 4096:
		case filepath.IsAbs(path):
			all = append(all, toldPath{r.absolute(path), false, path})
		default:
			for _, folder := range folders {
				at := filepath.Join(folder, path)
				led := r.led(at)
				all = append(all, toldPath{led, led == at, path})
			}
		}
	}
	for _, word := range strings.FieldsFunc(line, func(c rune) bool { return strings.ContainsRune(" \t:;,()'\"‘’`", c) }) {
		if r.visit == nil || strings.ContainsAny(word, "/.") {
			continue
		}
		at := r.led(filepath.Join(folders[0], word))
		if _, ok := r.visit.Holds(at); ok { // else it is any word
			all = append(all, toldPath{at, true, word})
		}
	}
	return all
}

// saysGit reports whether a message may be git's. Git names files relative to the top of
// the repository.
func saysGit(line string) bool {
	return strings.HasPrefix(line, "error: ") || strings.HasPrefix(line, "fatal: ") || strings.HasPrefix(line, "warning: ")
}

// top is the top folder of the repository that a command runs in; empty for none.
func (r *witness) top() string {
	for at := range upward.From(r.command.Context.Cwd()) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
	}
	return ""
}

// below is a path relative to the workspace.
func (r *witness) below(path string) string {
	rel, _ := filepath.Rel(r.policy.Workspace, path)
	return filepath.ToSlash(rel)
}

// protected is the refusal of a path that is writable but for its protection.
func (r *witness) protected(path toldPath) (Refusal, bool) {
	if _, write := r.policy.Reaches(path.absolute); !write {
		return Refusal{}, false
	}
	git := slices.IndexFunc(r.policy.Protect, func(held string) bool { return beneath(path.absolute, held) })
	protected := r.command.Sandbox.in(r.command.Context).protected(r.grants().home)
	by, ok := protected.Match(r.policy.Workspace, path.absolute)
	_, granted := r.policy.Grants(path.absolute)
	if !ok && granted {
		by, ok = protected.AtHome(path.absolute)
	}
	if !ok && r.visit != nil {
		by, ok = r.visit.Holds(path.absolute)
	}
	switch {
	case (granted || ok) && r.command.Sandbox.ofSettings(path.absolute):
		return Refusal{What: "writing " + named(path.absolute) + ", which no setting should allow: it says what scripts may do, or what they did", Probably: true}, true
	case ok && by.Except == "":
		return Refusal{What: "writing " + named(r.below(path.absolute)) + ", which no setting should allow: " + by.Reason, Probably: true}, true
	case ok && !beneath(path.absolute, r.policy.Workspace):
		return Refusal{What: "writing " + named(path.absolute) + " (" + by.Reason + ")", Probably: true}.adding(keyUnprotect, by.Except), true
	case ok:
		return Refusal{What: "writing " + named(r.below(path.absolute)) + " (" + by.Reason + ")", Probably: true}.adding(keyUnprotect, by.Except), true
	case git >= 0: // of a repository that lies outside of the workspace
		return Refusal{What: "writing " + named(path.absolute) + " (git runs what it names)", Probably: true}.adding(keyUnprotect, ".git"), true
	}
	return Refusal{}, false
}

// hidden is a place of secrets. The advice never says how to open one: the author of a
// line could otherwise have a person open it.
func hidden(path string) Refusal {
	return Refusal{What: named(path) + ", which is hidden from commands: it may hold secrets", Probably: true}
}

// hides reports whether a path is a known place of secrets that commands cannot read,
// even in a folder for temporary files, of which they have their own.
func (r *witness) hides(path string, toRead bool) bool {
	read, write := r.policy.Grants(path)
	return !(read && (write || toRead)) && !beneath(path, r.policy.Workspace) && r.policy.Hides(path)
}

// topIsThere reports whether a path's top-level folder exists. Deeper ones are not looked
// up: a command would learn what it cannot see.
func topIsThere(path string) bool {
	top, _, _ := strings.Cut(path[1:], "/")
	_, err := os.Lstat("/" + top)
	return err == nil
}

// temporary reports whether a path lies in the machine's folder for temporary files, of
// which commands have their own, and exists there. Every user can see the names at the
// top of that folder.
func (r *witness) temporary(path string) bool {
	if r.sees(path) {
		return false
	}
	top := temporaryTop(path)
	if top != "" && !r.sees(top) {
		_, err := os.Lstat(top)
		return err == nil
	}
	return top != "" && r.leadsOut(path)
}

// temporaryTop is the name that a path has at the top of a folder for temporary files;
// empty for any other path.
func temporaryTop(path string) string {
	for _, folder := range []string{"/tmp/", "/var/tmp/"} {
		if rest, ok := strings.CutPrefix(path, folder); ok {
			top, _, _ := strings.Cut(rest, "/")
			return folder + top
		}
	}
	return ""
}

// named is a path as part of a sentence, quoted where a command could have made it up to
// look like more.
func named(path string) string {
	if strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+@~%,") == "" {
		return path
	}
	return strconv.Quote(path)
}
