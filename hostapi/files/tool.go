package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/scriptrun/scriptrun/hostapi"
)

// definition is what makes one tool.
type definition struct {
	name    string
	summary string
	effect  hostapi.Effect
	schema  string
	// subject is the path that a call is about.
	subject func(args arguments) string
	// also is a second path that it is about; nil if there is none.
	also func(args arguments) string
	// folder is set for tools that read all that is below the path.
	folder bool
	do     func(ctx context.Context, w *Workspace, args arguments) (hostapi.Result, error)
}

// arguments are those of all tools; each schema lets in its own.
type arguments struct {
	FilePath      string `json:"file_path"`
	Path          string `json:"path"`
	Offset        int    `json:"offset"`
	Limit         *int   `json:"limit"`
	Content       string `json:"content"`
	OldString     string `json:"old_string"`
	NewString     string `json:"new_string"`
	ReplaceAll    bool   `json:"replace_all"`
	Pattern       string `json:"pattern"`
	Glob          string `json:"glob"`
	CaseSensitive *bool  `json:"case_sensitive"`
	Context       int    `json:"context"`
	MaxResults    int    `json:"max_results"`
	Mode          string `json:"mode"`
	Query         string `json:"query"`
	Include       string `json:"include"`
	From          string `json:"from"`
	To            string `json:"to"`
	Overwrite     bool   `json:"overwrite"`
}

func ofFile(args arguments) string { return args.FilePath }

func ofPath(args arguments) string {
	if args.Path == "" {
		return "."
	}
	return args.Path
}

// tool is a definition on a workspace.
type tool struct {
	workspace *Workspace
	def       *definition
}

// Name implements [hostapi.Tool].
func (t *tool) Name() string { return t.def.name }

// Describe implements [hostapi.Describer].
func (t *tool) Describe() hostapi.Description {
	return hostapi.Description{Summary: t.def.summary, Input: json.RawMessage(t.def.schema), Checked: true, Effect: t.def.effect}
}

// Invoke implements [hostapi.Tool].
func (t *tool) Invoke(ctx context.Context, call hostapi.Call) (hostapi.Result, error) {
	if err := ctx.Err(); err != nil {
		return hostapi.Result{}, err
	}
	var args arguments
	if err := json.Unmarshal(call.Args, &args); err != nil {
		return hostapi.Fail("arguments: " + err.Error()), nil
	}
	result, err := t.def.do(ctx, t.workspace, args)
	switch {
	case err == nil:
		return result, nil
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return hostapi.Result{}, err
	}
	return hostapi.Fail(err.Error()), nil
}

// CheckPattern implements [hostapi.Scoper].
func (t *tool) CheckPattern(pattern string) error {
	switch {
	case !doublestar.ValidatePattern(pattern):
		return fmt.Errorf("%q is not a path pattern; write one such as src/** or docs/*.md", pattern)
	case strings.HasPrefix(pattern, "/"), strings.HasPrefix(pattern, "./"), strings.Contains("/"+pattern+"/", "/../"):
		return fmt.Errorf("%q must be relative to the workspace, such as src/**", pattern)
	case t.def.folder && !coversFolders(pattern):
		return fmt.Errorf("%q would never match: %s reads all that is below a folder; end it in /**, or name a file", pattern, t.def.name)
	}
	return nil
}

// coversFolders: only ** at the end takes in all that is below; a pattern
// without any * names files.
func coversFolders(pattern string) bool {
	return pattern == "**" || strings.HasSuffix(pattern, "/**") || !strings.ContainsAny(pattern, "*?[{")
}

// places are the paths that a call is about, resolved.
type places []subject

// Subjects implements [hostapi.Plan].
func (p places) Subjects() []hostapi.Subject {
	subjects := make([]hostapi.Subject, len(p))
	for i, s := range p {
		subjects[i] = s
	}
	return subjects
}

// Plan implements [hostapi.Scoper].
func (t *tool) Plan(_ context.Context, call hostapi.Call) (hostapi.Plan, error) {
	var args arguments
	if err := json.Unmarshal(call.Args, &args); err != nil {
		return nil, err
	}
	paths := []string{t.def.subject(args)}
	if t.def.also != nil {
		paths = append(paths, t.def.also(args))
	}
	var found places
	for _, given := range paths {
		rel, err := t.workspace.resolve(given)
		if err != nil {
			return nil, err
		}
		folder := false
		if t.def.folder {
			info, err := t.workspace.root.Stat(rel)
			folder = err != nil || info.IsDir()
		}
		found = append(found, subject{rel, folder})
	}
	return found, nil
}

// subject is a path below the workspace, or a folder with all that is in it.
type subject struct {
	path   string
	folder bool
}

// String implements [hostapi.Subject].
func (s subject) String() string { return s.path }

// Match implements [hostapi.Subject].
func (s subject) Match(pattern string) bool {
	if s.folder && pattern != "**" && !strings.HasSuffix(pattern, "/**") {
		return false
	}
	matched, err := doublestar.Match(pattern, s.path)
	return err == nil && matched
}

// granted is a tool that further names in an allow-list grant.
type granted struct {
	tool
	grants grants
}

type grants struct {
	names []string
	by    func(args arguments) []string
}

// searchGrants: whoever may search may also grep and glob, in every mode.
var searchGrants = grants{[]string{"search"}, func(arguments) []string { return []string{"search"} }}

// modeGrants: a mode of search is granted by its own name.
var modeGrants = grants{[]string{"grep", "glob", "bm25"}, func(args arguments) []string { return []string{args.Mode} }}

// GrantNames implements [hostapi.Granter].
func (g *granted) GrantNames() []string { return g.grants.names }

// GrantedBy implements [hostapi.Granter].
func (g *granted) GrantedBy(raw json.RawMessage) []string {
	var args arguments
	if json.Unmarshal(raw, &args) != nil {
		return nil
	}
	return g.grants.by(args)
}
