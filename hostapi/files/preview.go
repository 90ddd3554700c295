package files

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/scriptrun/scriptrun/hostapi"
)

// maxCompared is how large files are at most to be shown as a diff, in bytes.
const maxCompared = 256 << 10

// Preview implements [hostapi.Previewer]: what writes is shown as a diff.
func (t *tool) Preview(ctx context.Context, call hostapi.Call) (string, error) {
	resolved, err := call.Resolve(ctx)
	if err != nil {
		return "", err
	}
	p, ok := resolved.(*plan)
	if !ok {
		return "", errors.New("it was resolved by another tool")
	}
	var names []string
	for _, at := range p.at {
		names = append(names, shown(at.rel))
	}
	switch t.def {
	case writeDef:
		return t.difference(p, func(string) (string, int, error) { return p.Content, 0, nil })
	case editDef:
		return t.difference(p, p.edited)
	case moveDef:
		return t.moved(p)
	}
	if p.shown = nil; t.def == deleteDef {
		at, _, err := t.workspace.present(p.at[0].rel, 0)
		if err != nil {
			return "", err
		}
		if p.shown = []*present{at}; at.info != nil && at.info.IsDir() {
			return "delete the folder " + names[0] + " and all that is in it", nil
		}
	}
	return fmt.Sprintf("%s %s\n%s", t.def.name, strings.Join(names, ", "), call.Args), nil
}

// difference is what a change makes of a file.
func (t *tool) difference(p *plan, change func(before string) (after string, found int, err error)) (string, error) {
	if p.outputs {
		return "", errors.New("the outputs of a run are only read")
	}
	name := shown(p.at[0].rel)
	before, raw, err := t.workspace.present(p.at[0].rel, maxFile)
	if err != nil {
		return "", err
	}
	p.shown = []*present{before}
	after, found, err := change(string(raw))
	switch {
	case err != nil:
		return "", err
	case before.read && len(raw) > maxCompared && t.def == editDef:
		return fmt.Sprintf("edit %s, which has %d bytes; %d times, first in lines %s,\n%s\nis replaced by\n%s",
			name, len(raw), found, firstLines(string(raw), p.OldString), p.OldString, p.NewString), nil
	case before.info == nil:
		return fmt.Sprintf("new file %s, %d bytes\n%s", name, len(after), after), nil
	case !before.read || len(raw) > maxCompared:
		return fmt.Sprintf("%s %s, which has %d bytes and is not compared\n%s", t.def.name, name, before.info.Size(), p.Content), nil
	case after == string(raw):
		return name + " stays as it is", nil
	case len(after) > maxCompared:
		return fmt.Sprintf("%s, %d bytes in place of %d\n%s", name, len(after), len(raw), after), nil
	}
	return udiff.Unified(name, name, string(raw), after), nil
}

// moved is what a move does, and what is lost by it.
func (t *tool) moved(p *plan) (string, error) {
	from, _, err := t.workspace.present(p.at[0].rel, 0)
	if err != nil {
		return "", err
	}
	to, lost, err := t.workspace.present(p.at[1].rel, maxFile)
	if err != nil {
		return "", err
	}
	p.shown = []*present{from, to}
	text := fmt.Sprintf("move %s to %s", shown(p.at[0].rel), shown(p.at[1].rel))
	if p.Overwrite && to.info != nil {
		text += fmt.Sprintf("\n%s is there, and is lost; it has %d bytes:\n%s", shown(p.at[1].rel), to.info.Size(), lost)
	}
	return text, nil
}

// present is what a person was shown to be at a path. The call that they said yes to
// changes that, and nothing that has taken its place.
type present struct {
	info *info // nil where there is nothing
	read bool
	sum  [sha256.Size]byte // of what was read
}

// present looks at what is at a path. A file of at most most bytes is read.
func (w *Workspace) present(rel string, most int64) (*present, []byte, error) {
	at, err := w.lstat(rel)
	if errors.Is(err, fs.ErrNotExist) {
		return &present{}, nil, nil
	}
	if err != nil {
		return nil, nil, plain(rel, err)
	}
	if most > 0 && at.Mode().IsRegular() {
		if raw, at, err := w.readAll(rel, most); err == nil {
			return &present{info: at, read: true, sum: sha256.Sum256(raw)}, raw, nil
		}
	}
	return &present{info: at}, nil, nil
}

// shownAt is what a person was shown of a path of the call; nil if nobody was.
func (p *plan) shownAt(i int) *present {
	if i >= len(p.shown) {
		return nil
	}
	return p.shown[i]
}

// is reports whether what is there now is what was shown; of a file that was read by
// raw, what it holds.
func (p *present) is(now *info, raw []byte) bool {
	switch {
	case p == nil:
		return true
	case p.info == nil || now == nil:
		return p.info == nil && now == nil
	case p.read && raw != nil:
		return p.sum == sha256.Sum256(raw)
	}
	return p.info.unchanged(now)
}
