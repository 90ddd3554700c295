package scripttools

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
)

// LoadFile loads one tool file that somebody named: a .js, .mjs, .ts, .mts or .md file
// with a header. The path of a .md file is looked up in workspace, if the file lies
// there, and else, as where it is "", in [WorkspaceOf] the file. The error is a
// *[LoadError] with every problem, or the cause of ctx when that has ended.
func LoadFile(ctx context.Context, runner *runtime.Runner, path, workspace string) (*ScriptToolSpec, error) {
	l, err := newLoader(runner)
	if err != nil {
		return nil, err
	}
	if workspace == "" || !liesIn(path, workspace) {
		workspace = WorkspaceOf(path)
	}
	if p := l.named(path, workspace); p != nil {
		return nil, loadError([]Problem{*p})
	}
	l.checkAll(ctx)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	specs, err := l.finish()
	if err != nil {
		return nil, err
	}
	if len(specs) == 0 {
		return nil, loadError([]Problem{fileProblem(filepath.ToSlash(path), "name a file whose kind is script", nil,
			"the file declares an MCP server, whose tools scripts may call; there is nothing in it to run")})
	}
	return specs[0], nil
}

// WorkspaceOf is the workspace that a tool file belongs to when nobody says
// which: its folder, or the folder above one that is called tools.
func WorkspaceOf(path string) string {
	dir := filepath.Dir(path)
	absolute, err := filepath.Abs(dir)
	if err == nil && filepath.Base(absolute) == "tools" {
		return filepath.Join(dir, "..")
	}
	return dir
}

// loader turns files into specs. It collects problems until all files have
// been seen; nothing is loaded if there is one.
type loader struct {
	runner    *runtime.Runner
	registry  *hostapi.Registry
	workspace *workspace
	problems  []Problem
	drafts    []draft
	servers   []*ServerSpec
	checks    []check
	budget    *budget // of their time

	wanted string // only the script of this tool is checked; empty: all are

	mention string // only files that have this word, or its name, are looked at; empty: all are
	first   bool   // a directory is left as soon as a header is found

	headersOnly  bool // nothing is compiled, checked or told
	markdownOnly bool // only .md files of a directory are looked at
	headers      []Header

	serversOnly bool // nothing but kind: mcp is looked at

	from Dir   // the directory that is loaded; zero for a file alone
	read []sum // of its tool files, by name; zero for one that could not be read

	sumsOnly bool // no more than read is wanted
}

func newLoader(runner *runtime.Runner) (*loader, error) {
	if runner == nil {
		return nil, errors.New("loading tool files needs a runner, which compiles them; see runtime.New")
	}
	return &loader{runner: runner, registry: runner.Registry()}, nil
}

// draft is a spec whose rules and name have not been compared with those of
// the other files.
type draft struct {
	spec   *ScriptToolSpec
	reader *fieldReader
	rules  []placedRule
	nameAt place
}

// named loads a file that was named explicitly.
func (l *loader) named(path, workspaceName string) *Problem {
	shown := filepath.ToSlash(path)
	raw, err := readCapped(path)
	if err != nil {
		p := readProblem(shown, err)
		return &p
	}
	switch filepath.Ext(path) {
	case ".md":
		ws, p := openWorkspace(workspaceName)
		if p != nil {
			return p
		}
		defer ws.root.Close()
		l.workspace = ws
	case ".js", ".mjs", ".ts", ".mts":
	case ".cts":
		p := fileProblem(shown, "", nil, noCommonTypes)
		return &p
	default:
		p := fileProblem(shown, "", nil, "a tool file ends in .js, .mjs, .ts, .mts or .md")
		return &p
	}
	t := newText(shown, raw)
	if !l.load(t) && len(l.problems) == 0 {
		l.problems = append(l.problems, missingHeader(t))
	}
	return nil
}

func missingHeader(t *text) Problem {
	if filepath.Ext(t.path) == ".md" {
		return t.problem(place{1, 1}, "begin the file with a line ---, then kind: script and path: scripts/x.js, then a line ---",
			"the file has no header; a tool file begins with one that says kind:")
	}
	return t.problem(place{1, 1}, "begin the file with a line /*---, then kind: script and a description, then a line ---*/",
		"the file has no header; a tool file begins with one that says kind:")
}

// load takes one file; it reports whether the file has a header.
func (l *loader) load(t *text) bool {
	if p, ok := t.checkEncoding(); !ok {
		l.problems = append(l.problems, p)
		return true
	}
	markdown := filepath.Ext(t.path) == ".md"
	h, found, problems := splitHeader(t, !markdown)
	switch {
	case l.serversOnly:
		l.serverOnly(h, &fieldReader{file: t, header: h})
		return found
	case l.headersOnly:
		l.headerOnly(h, &fieldReader{file: t, header: h})
		return found
	}
	l.problems = append(l.problems, problems...)
	if !found || h == nil {
		return found
	}
	for _, f := range h.flaws {
		l.problems = append(l.problems, t.problem(f.at, f.hint, "%s", f.msg))
	}
	r := &fieldReader{file: t, header: h}
	if h.root != nil {
		switch r.kind() {
		case kindScript:
			l.draft(r, markdown)
		case kindMCP:
			l.servers = append(l.servers, r.server())
		}
	} else if h.root == nil && !markdown && len(problems) == 0 {
		l.check(t, nil) // what is wrong with the script is told all the same
	}
	l.problems = append(l.problems, r.problems...)
	return true
}

// draft reads the fields of a header whose kind is script.
func (l *loader) draft(r *fieldReader, markdown bool) {
	spec := &ScriptToolSpec{Path: r.file.path, Source: r.file.path, Digest: digest(r.file), own: sumsOf(r.file)}
	d := draft{spec: spec, reader: r}
	r.unknown(r.header.root, headerKeys, "the keys")
	spec.Name, d.nameAt = r.name(l.registry)
	spec.Description = r.description(markdown)
	spec.Limits = r.limits()
	spec.InputSchema = r.inputSchema()
	spec.declared = declares(spec.InputSchema)
	spec.OutputSchema = r.schema("output_schema")
	d.rules = r.rules()

	script := r.file
	if markdown {
		script = nil
		if rel, at := r.scriptPath(); rel != "" {
			script = r.script(l.workspace, rel, at)
		}
		if script != nil {
			spec.Source, spec.Digest, spec.own = script.path, digest(r.file, script), sumsOf(r.file, script)
		}
	} else if f, ok := r.header.root.field("path"); ok {
		r.fail(f.at, "leave it out", "path is for .md files; a JavaScript tool file is its own script")
	}
	if script != nil {
		l.check(script, spec)
	}
	l.drafts = append(l.drafts, d)
}

// finish compares the drafts with each other and returns their specs, sorted
// by file, or every problem there is.
func (l *loader) finish() ([]*ScriptToolSpec, error) {
	specs := l.compare()
	if err := loadError(l.problems); err != nil {
		return nil, err
	}
	return specs, nil
}

// compare finds the problems that files have with each other and with the
// host, and returns all specs, of which some are of no use.
func (l *loader) compare() []*ScriptToolSpec {
	taken := map[string]draft{}
	scripts := map[string]bool{}
	for _, d := range l.drafts {
		if d.spec.Name == "" {
			continue
		}
		if first, ok := taken[d.spec.Name]; ok {
			l.problems = append(l.problems, d.reader.file.problem(d.nameAt, "give one of them another name",
				"the name %s is taken by %s", quote(d.spec.Name),
				runtime.Position{File: first.spec.Path, Line: first.nameAt.line, Col: first.nameAt.col}))
			continue
		}
		taken[d.spec.Name] = d
		scripts[d.spec.Name] = true
	}
	var specs []*ScriptToolSpec
	for _, d := range l.drafts {
		d.reader.problems = nil // those so far have been collected
		d.spec.AllowedTools = d.reader.checkRules(d.rules, l.registry, scripts)
		l.problems = append(l.problems, d.reader.problems...)
		l.acceptable(d.spec)
		specs = append(specs, d.spec)
	}
	return specs
}

// isReadme reports whether a Markdown file without a header is one that people
// put beside their tools, rather than a tool whose header is missing.
func isReadme(name string) bool { return strings.EqualFold(name, "README.md") }
