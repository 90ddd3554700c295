package scripttools

import (
	"context"

	"github.com/scriptrun/scriptrun/runtime"
)

// Reload loads a directory again, as [Load] does, but file by file: one that
// cannot be loaded keeps its previous version, and only what depends on it
// stays behind. The error is then a *[LoadError] that says why, and the catalog
// is of use all the same. Only a directory that cannot be read at all gives the
// previous catalog itself, and so does the end of ctx.
func Reload(ctx context.Context, runner *runtime.Runner, dir Dir, previous *Catalog) (*Catalog, error) {
	l, err := newLoader(runner)
	if err != nil {
		return previous, err
	}
	if p := l.dir(dir); p != nil {
		return previous, loadError([]Problem{*p})
	}
	l.checkAll(ctx)
	if ctx.Err() != nil {
		return previous, context.Cause(ctx)
	}
	specs := l.compare()
	broken := map[string]bool{}
	for _, p := range l.problems {
		broken[p.Pos.File] = true
		broken[p.of] = p.of != ""
	}
	taken := map[string]bool{}
	var kept []*ScriptToolSpec
	for _, spec := range specs {
		broken[spec.Path] = broken[spec.Path] || spec.Program == nil // what is wrong is in a script of its own
		if !broken[spec.Path] && !broken[spec.Source] {
			taken[spec.Name] = true
			kept = append(kept, spec)
		}
	}
	for spec := range previous.All() {
		if (broken[spec.Path] || broken[spec.Source]) && !taken[spec.Name] {
			taken[spec.Name] = true
			kept = append(kept, spec)
		}
	}
	return newCatalog(runner, kept, l.read), loadError(l.problems)
}
