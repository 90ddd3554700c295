package files

import (
	"path/filepath"

	"github.com/scriptrun/scriptrun/hostapi"
)

// outputs opens the folder of a run below [Workspace.Outputs] as a workspace of
// its own, if the paths of a call lie there, each as its name in it; nil if they
// do not. Only tools that read do so. The caller closes it.
func (w *Workspace) outputs(run string, def *definition, paths []string) (*Workspace, []string, error) {
	name := filepath.Base(filepath.Clean("/" + run))
	if w.Outputs == "" || run == "" || def.effect != hostapi.EffectRead {
		return nil, nil, nil
	}
	dir := filepath.Join(w.Outputs, name)
	var names []string
	for _, path := range paths {
		rel, err := filepath.Rel(dir, path)
		if err != nil || !filepath.IsAbs(path) || !filepath.IsLocal(rel) {
			return nil, nil, nil
		}
		names = append(names, rel)
	}
	if len(names) == 0 {
		return nil, nil, nil
	}
	target, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, nil, plain(paths[0], err)
	}
	root, err := openRoot(target)
	if err != nil {
		return nil, nil, plain(paths[0], err)
	}
	return &Workspace{root: root, real: target, shownIn: dir}, names, nil
}

// asNamed is a path of the workspace as scripts name it.
func (w *Workspace) asNamed(rel string) string {
	if w.shownIn == "" {
		return rel
	}
	return filepath.Join(w.shownIn, rel)
}
