package scripttools

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/regular"
)

const noCommonTypes = "a .cts file is CommonJS, which TypeScript files here are not; write export default, and name it .ts"

// IsToolFile reports whether a file may be a tool file, by its name.
func IsToolFile(name string) bool { return isScript(name) || filepath.Ext(name) == ".md" }

// isScript reports whether a file is one of code, by its name.
func isScript(name string) bool {
	return slices.Contains([]string{".js", ".mjs", ".ts", ".mts"}, path.Ext(name))
}

var drive = regexp.MustCompile(`^[a-zA-Z]:`)

// workspace is the folder that the path of a .md file is relative to.
type workspace struct {
	name string // as problems show it
	real string // without symbolic links
	root *os.Root
}

// openWorkspace opens a folder; the caller closes its root.
func openWorkspace(name string) (*workspace, *Problem) {
	resolved, err := realPath(name)
	if err == nil {
		var root *os.Root
		if root, err = os.OpenRoot(resolved); err == nil {
			return &workspace{name: name, real: resolved, root: root}, nil
		}
	}
	p := directoryProblem(name, "workspace", err)
	return nil, &p
}

// realPath is the absolute path without symbolic links.
func realPath(name string) (string, error) {
	absolute, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(absolute)
}

func directoryProblem(name, what string, err error) Problem {
	var pathErr *fs.PathError
	if info, statErr := os.Stat(name); statErr == nil && !info.IsDir() {
		return fileProblem(name, "", err, "the %s is not a directory", what)
	} else if errors.Is(err, fs.ErrNotExist) {
		return fileProblem(name, "", err, "there is no such directory; it was to be the %s", what)
	} else if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	return fileProblem(name, "", err, "the %s cannot be opened: %v", what, err)
}

// scriptPath is the path that a .md file names, with slashes and cleaned; ""
// if there is none that can be used.
func (r *fieldReader) scriptPath() (string, place) {
	f, ok := r.header.root.field("path")
	if !ok {
		r.fail(r.header.opening, "add path: scripts/… , relative to the workspace", "the header has no path; a Markdown file names its script with it")
		return "", place{}
	}
	n := r.value("path", kindText)
	if n == nil {
		return "", place{}
	}
	p, at := n.text, f.value.at
	const relative = "write it relative to the workspace, as in scripts/x.js"
	switch {
	case strings.TrimSpace(p) == "":
		r.fail(at, relative, "the path is empty")
	case strings.Contains(p, `\`):
		r.fail(at, relative, "the path %s has a backslash; folders are separated by /", quote(p))
	case drive.MatchString(p):
		r.fail(at, relative, "the path %s names a drive", quote(p))
	case strings.HasPrefix(p, "/"):
		r.fail(at, relative, "the path %s is absolute", quote(p))
	case slices.Contains(strings.Split(p, "/"), ".."):
		r.fail(at, relative, "the path %s contains ..", quote(p))
	case !filepath.IsLocal(filepath.FromSlash(p)):
		r.fail(at, relative, "the path %s does not stay inside the workspace", quote(p))
	case path.Ext(p) == ".cts":
		r.fail(at, "", noCommonTypes)
	case !isScript(p):
		r.fail(at, "", "the path %s does not end in .js, .mjs, .ts or .mts", quote(p))
	default:
		return path.Clean(p), at
	}
	return "", at
}

// script reads the file that a path names, inside the workspace whatever
// symbolic links say; nil if it cannot.
func (r *fieldReader) script(ws *workspace, rel string, at place) *text {
	name := filepath.FromSlash(rel)
	raw, err := readCappedIn(ws.root, name)
	if err == nil {
		t := newText(filepath.ToSlash(filepath.Join(ws.name, name)), raw)
		if p, ok := t.checkEncoding(); !ok {
			r.problems = append(r.problems, p)
			return nil
		}
		return t
	}
	var shape *regular.ShapeError
	switch reach := linkReach(ws.real, name); {
	case errors.As(err, &shape):
		r.failWith(at, "", err, "the script %s: %s", quote(rel), shape.Reason())
	case reach == reachOutside:
		r.failWith(at, "", err, "the script %s leads outside the workspace %s through a symbolic link", quote(rel), quote(ws.name))
	case reach == reachInside:
		r.failWith(at, "make the link relative", err, "the script %s goes through a symbolic link with an absolute target", quote(rel))
	case errors.Is(err, fs.ErrNotExist):
		r.failWith(at, "", err, "the script %s does not exist in the workspace %s", quote(rel), quote(ws.name))
	default:
		p := readProblem(rel, err)
		r.failWith(at, "", err, "the script %s: %s", quote(rel), p.Msg)
	}
	return nil
}

// reach tells why an os.Root refused a path. It chooses words only: the
// refusal itself is os.Root's.
type reach int

const (
	reachNone    reach = iota // no symbolic link is to blame
	reachInside               // a link leads inside, by an absolute target
	reachOutside              // a link leads outside
)

func linkReach(dir, name string) reach {
	full := filepath.Join(dir, name)
	resolved, err := filepath.EvalSymlinks(full)
	if err != nil || resolved == full {
		return reachNone
	}
	if rel, err := filepath.Rel(dir, resolved); err != nil || !filepath.IsLocal(rel) {
		return reachOutside
	}
	return reachInside
}
