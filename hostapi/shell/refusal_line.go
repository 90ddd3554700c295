package shell

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// Some programs fail without a reason. The likeliest one is then a path in the command's
// own line that exists outside and is not granted.

// mostWords is how many words of a line are searched.
const mostWords = 256

// ofItsLine are the paths outside in the line of a command, or in one of its variables
// that lists folders.
func (r *witness) ofItsLine() (all []Refusal) {
	words := append(strings.FieldsFunc(r.command.Line, betweenWords), r.command.Argv...)
	for _, name := range slices.Sorted(maps.Keys(r.command.Context.env)) {
		if strings.HasSuffix(name, "PATH") && name != "PATH" {
			words = append(words, r.command.Context.env[name])
		}
	}
	for _, word := range words[:min(len(words), mostWords)] {
		for _, path := range pathsIn(word) {
			refused, ok := r.outside(r.absolute(path))
			if ok && len(all) < mostProbable && !tells(all, refused) {
				all = append(all, refused)
			}
		}
	}
	return all
}

// betweenWords are characters that rarely stand in a path.
func betweenWords(c rune) bool { return strings.ContainsRune(" \t\r\n'\"`|&;<>()", c) }

// pathsIn are the paths in a word: after =, between : and after the letters of an option.
func pathsIn(word string) (paths []string) {
	if _, local, ok := strings.Cut(word, "file://"); ok {
		return []string{local}
	}
	if strings.Contains(word, "://") || len(word) > 4096 {
		return nil
	}
	for part := range strings.FieldsFuncSeq(word, func(c rune) bool { return c == '=' || c == ':' || c == ',' }) {
		if strings.HasPrefix(part, "-") {
			at := strings.IndexByte(part, '/')
			if at < 0 {
				continue
			}
			part = part[len(strings.TrimRight(part[:at], ".")):]
		}
		if filepath.IsAbs(part) || part == ".." || strings.Contains(part, "/") {
			paths = append(paths, part)
		}
	}
	return paths
}

// absolute is a path of the command, absolute and with links of the workspace followed.
func (r *witness) absolute(path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.command.Context.Cwd(), path)
	}
	return r.led(filepath.Clean(path))
}

// mostLinks is how many links of a path are followed.
const mostLinks = 40

// led is where a path in the workspace leads to, if that is outside. Nothing outside is
// looked up.
func (r *witness) led(path string) string {
	if !beneath(path, r.policy.Workspace) {
		return path
	}
	at := path
	for range mostLinks {
		link := r.policy.Workspace
		rest, _ := strings.CutPrefix(strings.TrimPrefix(at, link), "/")
		target := ""
		for rest != "" && target == "" {
			var name string
			name, rest, _ = strings.Cut(rest, "/")
			link = filepath.Join(link, name)
			target, _ = os.Readlink(link)
		}
		if target == "" {
			return path
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(link), target)
		}
		if at = filepath.Join(target, rest); !beneath(at, r.policy.Workspace) {
			return at
		}
	}
	return path
}

// outside is the refusal of a path that exists outside, as far as may be looked up, and
// is not granted.
func (r *witness) outside(path string) (Refusal, bool) {
	granted, write := r.policy.Grants(path)
	if r.databases && !write && !beneath(path, r.policy.Workspace) && (granted || !r.leadsOut(path) && r.mayAppear(path)) {
		return r.writing(path), true
	}
	if granted || r.sees(path) {
		return Refusal{}, false
	}
	read, _ := r.policy.Reaches(path)
	switch deep := strings.Count(path, "/") > 1; {
	case !r.leadsOut(path) && (read || !deep || !topIsThere(path)):
		return Refusal{}, false
	case r.policy.Hides(path):
		return hidden(path), true
	}
	return r.reading(path), true
}

// mayAppear reports whether a file could be made at a path: its folder is there, or commands do
// not see whether it is.
func (r *witness) mayAppear(path string) bool {
	dir := filepath.Dir(path)
	return dir != "/" && !r.sees(path) && (r.sees(dir) && isFolder(dir) || !r.sees(dir) && topIsThere(dir))
}

// writes reports whether a message, or the command's line, says that something was to be
// written at a path.
func (r *witness) writes(line, path string) bool {
	if at := strings.LastIndex(line, path); tellings().writes.MatchString(line) && !strings.ContainsAny(line[at+len(path):], "/") {
		return true
	}
	for _, before := range []string{">", "> ", ">'", "> '", ">\"", "> \""} {
		if strings.Contains(r.command.Line, before+path) {
			return true
		}
	}
	return false
}

// toolchain is a version of Go that go was told not to fetch.
func (r *witness) toolchain(line string) (Refusal, bool) {
	match := tellings().goes.FindStringSubmatch(line)
	if match == nil || r.policy.Network == sandbox.NetworkFull {
		return Refusal{}, false
	}
	refused := Refusal{What: "fetching Go " + strings.TrimRight(match[1], "."), Probably: true}
	if slices.Contains(r.command.Sandbox.Hosts, "preset:go") { // then the operator's own GOTOOLCHAIN says not to fetch it
		refused.Allow = `GOTOOLCHAIN = "auto" in the env of an environment`
		return refused, true
	}
	return refused.adding(keyNetwork, "preset:go"), true
}
