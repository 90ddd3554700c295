package files

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
)

// plan is a call with its paths resolved. What it says is what is done: nobody
// resolves a path again, and each is opened as it stands here, through no link.
type plan struct {
	arguments
	tool string
	part hostapi.Part // of the result that is wanted
	most int64        // bytes of each part of the result; 0 for no limit but the tool's
	at   []place
	// outputs is set if the paths lie in the folder of a run's outputs.
	outputs bool
	// shown is what a person saw at each place, if one was asked.
	shown []*present
}

// place is a path below the workspace, or a folder with all that is in it.
type place struct {
	given  string // by the script
	rel    string
	folder bool
	output bool // it is one of the run's own, which no pattern is about
	// protected is why it is not changed unless a pattern names it; nil for most.
	protected *protectedError
}

// plan resolves the paths of a call.
func (t *tool) plan(ctx context.Context, call hostapi.Call) (*plan, error) {
	p := &plan{tool: t.def.name}
	if err := json.Unmarshal(call.Args, &p.arguments); err != nil {
		return nil, err
	}
	p.Path = cmp.Or(p.Path, p.FilePath)
	w, given := t.workspace, t.def.paths(p.arguments)
	paths := given
	switch outputs, names, err := w.outputs(call.Run, t.def, given); {
	case err != nil:
		return nil, err
	case outputs != nil:
		defer outputs.root.close()
		w, paths, p.outputs = outputs, names, true
	}
	resolve := w.resolve
	if t.def.itself {
		resolve = w.resolveName
	}
	for i, path := range paths {
		rel, err := resolve(path)
		if err != nil {
			return nil, err
		}
		at := place{given: given[i], rel: rel, output: p.outputs}
		if t.def.folder {
			info, err := w.lstat(rel)
			at.folder = err != nil || info.IsDir() // what is not there may become one
		}
		if !p.outputs {
			if err := t.guard(ctx, &at); err != nil {
				return nil, err
			}
		}
		p.at = append(p.at, at)
	}
	if by := w.moved(p); by != nil {
		p.at[1].protected = by
	}
	return p, nil
}

// Plan implements [hostapi.Scoper].
func (t *tool) Plan(ctx context.Context, call hostapi.Call) (hostapi.Plan, error) {
	p, err := t.plan(ctx, call)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Subjects implements [hostapi.Plan].
func (p *plan) Subjects() []hostapi.Subject {
	subjects := make([]hostapi.Subject, len(p.at))
	for i, at := range p.at {
		subjects[i] = at
	}
	return subjects
}

// String implements [hostapi.Subject].
func (p place) String() string { return p.rel }

// Match implements [hostapi.Subject].
func (p place) Match(pattern string) bool {
	if p.output {
		return true
	}
	if p.protected != nil && !p.protected.namedBy(pattern) {
		return false
	}
	if p.folder && pattern != "**" && !strings.HasSuffix(pattern, "/**") {
		return false
	}
	matched, _ := matches(pattern, p.rel)
	return matched
}

// Objection implements [hostapi.Objector].
func (p place) Objection(pattern string) string {
	if p.protected == nil || p.protected.namedBy(pattern) {
		return ""
	}
	free := p
	if free.protected = nil; !free.Match(pattern) {
		return ""
	}
	return "it " + p.protected.reason()
}

// checkProtected refuses a plan that no pattern decided on, where it would change
// what is protected.
func (p *plan) checkProtected() error {
	for _, at := range p.at {
		if at.protected != nil {
			return at.protected
		}
	}
	return nil
}
