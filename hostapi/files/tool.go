package files

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
)

// definition is what makes one tool.
type definition struct {
	name    string
	summary string
	effect  hostapi.Effect
	schema  string
	// data and metadata say what results have in these.
	data, metadata string
	// paths are those that a call is about.
	paths func(args arguments) []string
	// folder is set for tools that read all that is below the path.
	folder bool
	// itself is set for tools that act on a link, and not on what it leads to.
	itself bool
	// much is set for tools that may look at many files.
	much bool
	do   func(ctx context.Context, w *Workspace, p *plan) (hostapi.Result, error)
}

// arguments are those of all tools; each schema lets in its own.
type arguments struct {
	Path          string `json:"path"`
	FilePath      string `json:"file_path"` // the same, where no gate has renamed it
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
	Cursor        string `json:"cursor"`
	NoIgnore      *bool  `json:"no_ignore"`
	Sort          string `json:"sort"`
	Details       bool   `json:"details"`
	OutputMode    string `json:"output_mode"`
}

func ofFile(args arguments) []string { return []string{args.Path} }

func ofPath(args arguments) []string { return []string{cmp.Or(args.Path, ".")} }

// tool is a definition on a workspace.
type tool struct {
	workspace *Workspace
	def       *definition
}

// Name implements [hostapi.Tool].
func (t *tool) Name() string { return t.def.name }

// Describe implements [hostapi.Describer].
func (t *tool) Describe() hostapi.Description {
	d := hostapi.Description{
		Summary: t.def.summary, Input: json.RawMessage(t.def.schema), Checked: true, Effect: t.def.effect,
		Data: t.def.data, Metadata: t.def.metadata, Subject: "the path below the workspace, links followed",
	}
	if t.def.folder {
		d.Subject += "; as all that is below a folder is reached, only a pattern that ends in /** covers one"
	}
	if t.def.itself {
		d.Subject = "each path below the workspace, a link itself; only a pattern that ends in /** covers a folder"
	}
	if strings.Contains(t.def.schema, `"path":`) {
		d.Aliases = map[string]string{"file_path": "path"}
	}
	switch t.def.name { // which files: both know it by the other's word too
	case "grep":
		d.Aliases["include"] = "glob"
	case "search":
		d.Aliases["glob"] = "include"
	}
	return d
}

// Invoke implements [hostapi.Tool].
func (t *tool) Invoke(ctx context.Context, call hostapi.Call) (hostapi.Result, error) {
	if err := ctx.Err(); err != nil {
		return hostapi.Result{}, err
	}
	p, resolved := call.Plan.(*plan)
	var err error
	if !resolved {
		p, err = t.plan(ctx, call)
	}
	if err == nil && !(resolved && call.Scoped) {
		err = p.checkProtected()
	}
	if err == nil && t.def.much {
		var leave func()
		if leave, err = call.Look(ctx); err != nil {
			return hostapi.Result{}, err
		}
		defer leave()
	}
	var result hostapi.Result
	w := t.workspace
	if err == nil && p.outputs {
		var outputs *Workspace
		if outputs, _, err = w.outputs(call.Run, t.def, t.def.paths(p.arguments)); err == nil && outputs != nil {
			defer outputs.root.close()
			w = outputs
		}
	}
	if err == nil {
		bounded := *p
		bounded.most, bounded.part = call.MaxResultBytes, call.Part
		result, err = t.def.do(ctx, w, &bounded)
	}
	switch {
	case err == nil:
		return result, nil
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return hostapi.Result{}, err
	}
	return hostapi.Fail(err.Error()), nil
}

// coversFolders: only ** at the end takes in all that is below; a pattern
// without any * names files.
func coversFolders(pattern string) bool {
	return pattern == "**" || strings.HasSuffix(pattern, "/**") || !strings.ContainsAny(pattern, "*?[{")
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
