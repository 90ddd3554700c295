package files

import (
	"context"
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
		return t.difference(p, func(string) string { return p.Content })
	case editDef:
		return t.difference(p, func(before string) string {
			most := 1
			if p.ReplaceAll {
				most = -1
			}
			return strings.Replace(before, p.OldString, p.NewString, most)
		})
	case moveDef:
		return fmt.Sprintf("move %s to %s", names[0], names[1]), nil
	}
	return fmt.Sprintf("%s %s\n%s", t.def.name, strings.Join(names, ", "), call.Args), nil
}

// difference is what a change makes of a file.
func (t *tool) difference(p *plan, change func(before string) string) (string, error) {
	if p.outputs {
		return "", errors.New("the outputs of a run are only read")
	}
	name := p.at[0].rel
	if _, err := t.workspace.lstat(name); errors.Is(err, fs.ErrNotExist) {
		after := change("")
		return fmt.Sprintf("new file %s, %d bytes\n%s", shown(name), len(after), after), nil
	}
	raw, _, err := t.workspace.readAll(name, maxCompared)
	if err != nil {
		return fmt.Sprintf("%s %s, which cannot be compared: %v", t.def.name, shown(name), err), nil
	}
	after := change(string(raw))
	if after == string(raw) {
		return shown(name) + " stays as it is", nil
	}
	if len(after) > maxCompared {
		return fmt.Sprintf("%s, %d bytes in place of %d\n%s", shown(name), len(after), len(raw), after), nil
	}
	return udiff.Unified(shown(name), shown(name), string(raw), after), nil
}
