package scripttools

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"github.com/scriptrun/scriptrun/runtime"
)

// Header is what a tool file says of itself before anything of it is compiled,
// compared with other files, or held against the tools of a host.
type Header struct {
	// Name and Description are those of the tool.
	Name, Description string
	// Tools are the host tools that allowed_tools names, without patterns, in
	// its order.
	Tools []string
	// Limits are those that it declares, with the defaults for the others.
	Limits runtime.Limits
	// InputSchema is what it takes, as it was written and not checked; empty if it
	// declares none.
	InputSchema json.RawMessage
	// Path is the file.
	Path string

	script string // that a .md file names, relative to the workspace
}

// Headers reads the headers of the script tools in a directory, sorted by file,
// or that of one file. It needs no runner, runs nothing, and reads no script of
// a .md file. A file whose header is not one of a script tool is passed over,
// whatever is wrong with it: [Load] and [LoadFile] say that. A path that cannot
// be read gives none.
func Headers(dir Dir) []Header {
	l := &loader{headersOnly: true}
	if info, err := os.Stat(dir.Path); err == nil && !info.IsDir() {
		_ = l.only(dir.Path)
		return l.headers
	}
	_ = l.dir(dir)
	return l.headers
}

// HasTools reports whether a directory has a tool file of kind: script or mcp, by its header. It
// reads no more files than it takes to know.
func HasTools(dir Dir) bool {
	l := &loader{headersOnly: true, first: true}
	_ = l.dir(dir)
	return len(l.headers) > 0
}

// only takes one file, by its header.
func (l *loader) only(path string) *Problem {
	shown := filepath.ToSlash(path)
	raw, err := readCapped(path)
	if err != nil {
		p := readProblem(shown, err)
		return &p
	}
	l.load(newText(shown, raw))
	return nil
}

// headerOnly takes a file if it declares a script tool.
func (l *loader) headerOnly(h *header, r *fieldReader) {
	if h == nil || h.root == nil {
		return
	}
	if kind := r.kind(); kind == kindMCP && l.first {
		l.headers = append(l.headers, Header{Path: r.file.path})
		return
	} else if kind != kindScript {
		return
	}
	name, _ := r.name(nil)
	if name == "" {
		return
	}
	out := Header{Name: name, Description: r.description(filepath.Ext(r.file.path) == ".md"), Limits: r.limits(), Path: r.file.path}
	if n := r.value("input_schema", kindMap); n != nil && n.whole() {
		out.InputSchema = n.json()
	}
	if filepath.Ext(out.Path) == ".md" {
		out.script, _ = r.scriptPath()
	}
	for _, rule := range r.rules() {
		if !slices.Contains(out.Tools, rule.Tool) {
			out.Tools = append(out.Tools, rule.Tool)
		}
	}
	l.headers = append(l.headers, out)
}
