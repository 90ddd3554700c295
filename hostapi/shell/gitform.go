package shell

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/regular"
)

// Git recognizes a repository by its objects, refs, HEAD and format version. If one of
// them is wrong, some commands go on without a repository, and then read any file. So
// this is checked before git runs, and more strictly than git does.

// isHead reports whether text is a valid HEAD: a reference or an object name.
func isHead(text string) bool {
	text = strings.TrimRight(text, " \t\r\n")
	if name, ok := strings.CutPrefix(text, "ref:"); ok {
		name = strings.TrimLeft(name, " \t")
		return strings.HasPrefix(name, "refs/") && !strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == 0x7f })
	}
	return (len(text) == 40 || len(text) == 64) && strings.Trim(text, "0123456789abcdefABCDEF") == ""
}

// holdsHead reports whether a folder has a regular file HEAD that is valid.
func holdsHead(dir string) bool {
	name := filepath.Join(dir, "HEAD")
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return false
	}
	text, err := regular.Read(name, maxGitFile)
	return err == nil && isHead(string(text))
}

// knownExtension reports whether we know a format extension with this value.
func knownExtension(name, value string) bool {
	switch name {
	case "objectformat":
		return value == "sha1" || value == "sha256"
	case "refstorage":
		return value == "files" || value == "reftable"
	case "worktreeconfig", "relativeworktrees", "preciousobjects":
		return value == "" || hasWord("true false yes no on off 0 1", strings.ToLower(value))
	}
	return name == "noop" || name == "partialclone"
}

// checkForm refuses a repository whose configuration names an unknown data format.
func (r gitRepo) checkForm() error {
	file := filepath.Join(r.common, "config")
	if _, err := os.Lstat(file); os.IsNotExist(err) {
		return nil // then the format is the oldest one
	}
	text, err := regular.Read(file, maxGitFile)
	if err != nil {
		return err
	}
	section, number := "", 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			head, rest, _ := strings.Cut(line[1:], "]")
			section, line = strings.ToLower(strings.TrimSpace(head)), strings.TrimSpace(rest)
		}
		name, value, _ := strings.Cut(line, "=")
		name = strings.ToLower(strings.TrimSpace(name))
		if comment := strings.IndexAny(value, "#;"); comment >= 0 {
			value = value[:comment]
		}
		value = strings.Trim(strings.TrimSpace(value), `"`)
		switch {
		case name == "" || name[0] == '#' || name[0] == ';':
		case section == "core" && name == "repositoryformatversion":
			if value != "0" && value != "1" {
				return fmt.Errorf("%s:%d: the repository has the format version %q; expected 0 or 1", file, number, value)
			}
		case section == "extensions":
			if !knownExtension(name, value) {
				return fmt.Errorf("%s:%d: the repository has the unknown extension %s = %q", file, number, name, value)
			}
		}
	}
	return nil
}

// holds reports whether a word of git, taken as a path, stays within the working
// folder: as it is written, and once links are followed. A dangling link does not.
func (r gitRepo) holds(cwd, name string) bool {
	top := r.top
	if top == "" {
		top = r.dir
	}
	if magic, ok := strings.CutPrefix(name, ":"); ok { // :/x, :!x, :(top)x
		if long, ok := strings.CutPrefix(magic, "("); ok {
			_, magic, _ = strings.Cut(long, ")")
		} else {
			magic = strings.TrimLeft(magic, "/!^:")
		}
		return stays(top, filepath.Join(top, magic)) && stays(top, filepath.Join(cwd, magic))
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(cwd, name)
	}
	return stays(top, filepath.Clean(name))
}

// stays reports whether a clean path is below a folder, with links followed as far as
// it exists. The folder itself has no links.
func stays(top, path string) bool {
	if !beneath(path, top) { // it may be the same place by another name
		resolved, err := filepath.EvalSymlinks(path)
		return err == nil && beneath(resolved, top)
	}
	at := top
	for part := range strings.SplitSeq(strings.TrimPrefix(path, top), string(filepath.Separator)) {
		at = filepath.Join(at, part)
		info, err := os.Lstat(at)
		if err != nil {
			return true // nothing exists there
		}
		if info.Mode()&os.ModeSymlink == 0 {
			continue
		}
		if at, err = filepath.EvalSymlinks(at); err != nil || !beneath(at, top) {
			return false
		}
	}
	return true
}
