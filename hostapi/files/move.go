package files

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
)

// trash is the folder of what was deleted, below the workspace.
const trash = ".scriptrun-trash"

var deleteDef = &definition{
	name: "delete", effect: hostapi.EffectWrite, subject: ofPath, folder: true, do: remove,
	summary: "Moves a file or a folder to " + trash + " in the workspace, from where a person can take it back.",
	schema: `{"type":"object","required":["path"],"additionalProperties":false,"properties":{
		"path":{"type":"string","minLength":1}}}`,
}

var moveDef = &definition{
	name: "move", effect: hostapi.EffectWrite, folder: true, do: move,
	subject: func(args arguments) string { return args.From },
	also:    func(args arguments) string { return args.To },
	summary: "Moves or renames a file or a folder; what is at the new place already stays, unless it is a file and overwrite is set.",
	schema: `{"type":"object","required":["from","to"],"additionalProperties":false,"properties":{
		"from":{"type":"string","minLength":1},"to":{"type":"string","minLength":1},"overwrite":{"type":"boolean"}}}`,
}

func remove(_ context.Context, w *Workspace, args arguments) (hostapi.Result, error) {
	w.writing.Lock()
	defer w.writing.Unlock()
	rel, err := w.movable(args.Path)
	if err != nil {
		return hostapi.Result{}, err
	}
	if err := w.root.Mkdir(trash, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return hostapi.Result{}, plain(trash, err)
	}
	to := path.Join(trash, rand.Text()[:8]+"-"+path.Base(rel))
	if err := w.root.Rename(filepath.FromSlash(rel), filepath.FromSlash(to)); err != nil {
		return hostapi.Result{}, plain(args.Path, err)
	}
	return hostapi.Succeed("moved " + rel + " to " + to).WithData(map[string]any{"trashed": to}), nil
}

func move(_ context.Context, w *Workspace, args arguments) (hostapi.Result, error) {
	w.writing.Lock()
	defer w.writing.Unlock()
	from, err := w.movable(args.From)
	if err != nil {
		return hostapi.Result{}, err
	}
	to, err := w.resolve(args.To)
	if err != nil {
		return hostapi.Result{}, err
	}
	switch {
	case to == from:
		return hostapi.Result{}, errors.New("from and to are the same; nothing was moved")
	case to == ".", strings.HasPrefix(to+"/", from+"/"):
		return hostapi.Result{}, fmt.Errorf("%s cannot be moved to %s, which is it or lies in it", args.From, args.To)
	}
	source, err := w.root.Lstat(filepath.FromSlash(from))
	if err != nil {
		return hostapi.Result{}, plain(args.From, err)
	}
	info, err := w.root.Lstat(filepath.FromSlash(to))
	switch {
	case err == nil && (!args.Overwrite || !info.Mode().IsRegular() || !source.Mode().IsRegular()):
		return hostapi.Result{}, fmt.Errorf("%s is there already; nothing was moved; overwrite takes a file for a file", args.To)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return hostapi.Result{}, plain(args.To, err)
	}
	if dir := path.Dir(to); dir != "." {
		if err := w.root.MkdirAll(filepath.FromSlash(dir), 0o755); err != nil {
			return hostapi.Result{}, plain(dir, err)
		}
	}
	if err := w.root.Rename(filepath.FromSlash(from), filepath.FromSlash(to)); err != nil {
		return hostapi.Result{}, plain(args.From, err)
	}
	return hostapi.Succeed("moved " + from + " to " + to).WithData(map[string]any{"from": from, "to": to}), nil
}

// movable is a path that is there, and is not the workspace itself.
func (w *Workspace) movable(given string) (string, error) {
	rel, err := w.resolve(given)
	if err != nil {
		return "", err
	}
	if rel == "." || rel == trash {
		return "", fmt.Errorf("%s cannot be moved", given)
	}
	if _, err := w.root.Lstat(filepath.FromSlash(rel)); err != nil {
		return "", plain(given, err)
	}
	return rel, nil
}
