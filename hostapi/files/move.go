package files

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/protect"
	"github.com/scriptrun/scriptrun/hostapi/upward"
)

// trash is the folder of what was deleted, below the workspace.
const trash = protect.Trash

var deleteDef = &definition{
	name:   "delete",
	data:   `{trashed}: where it is now`,
	effect: hostapi.EffectWrite, paths: ofPath, folder: true, itself: true, do: remove,
	summary: "Moves a file, a folder or a link itself to " + trash + " in the workspace, in a folder of its own with its path, from where a person can take it back.",
	schema: `{"type":"object","required":["path"],"additionalProperties":false,"properties":{
		"path":{"type":"string","minLength":1,"description":"what to put away"}}}`,
}

var moveDef = &definition{
	name:   "move",
	data:   `{from, to}`,
	effect: hostapi.EffectWrite, folder: true, itself: true, do: move,
	paths:   func(args arguments) []string { return []string{args.From, args.To} },
	summary: "Moves or renames a file, a folder or a link itself; what is at the new place already stays, unless it is a file and overwrite is set.",
	schema: `{"type":"object","required":["from","to"],"additionalProperties":false,"properties":{
		"from":{"type":"string","minLength":1,"description":"the path it has"},
		"to":{"type":"string","minLength":1,"description":"the path it gets"},
		"overwrite":{"type":"boolean","description":"replace a file that is there"}}}`,
}

func remove(ctx context.Context, w *Workspace, args *plan) (hostapi.Result, error) {
	done, err := w.startChange(ctx, args)
	if err != nil {
		return hostapi.Result{}, err
	}
	defer done()
	at := args.at[0]
	in, name, source, err := w.movable(at)
	if err != nil {
		return hostapi.Result{}, err
	}
	defer in.close()
	if !args.shownAt(0).is(source, nil) {
		return hostapi.Result{}, &changedError{at.given}
	}
	made := w.root.mkdir(trash, 0o755)
	if made != nil && !errors.Is(made, fs.ErrExist) {
		return hostapi.Result{}, plain(trash, made)
	}
	bin, err := w.root.sub(trash)
	if err != nil {
		return hostapi.Result{}, fmt.Errorf("%s, where what is deleted goes, is not a directory; move it away", trash)
	}
	defer bin.close()
	ignored := ignoreTrash(ctx, bin)
	own := path.Join(trash, rand.Text()[:8])
	to := path.Join(own, at.rel)
	if err := w.putAway(in, name, source, to); err != nil {
		for dir := range upward.FromSlash(path.Dir(to)) {
			if dir == trash || !w.removeEmpty(dir) {
				break
			}
		}
		if made == nil {
			if ignored {
				_ = bin.remove(protect.Ignore)
			}
			_ = w.root.rmdir(trash) // an empty one is of no use
		}
		return hostapi.Result{}, plain(at.given, err)
	}
	return hostapi.Succeed("moved " + shown(at.rel) + " to " + shown(to)).WithData(map[string]any{"trashed": to}), nil
}

// putAway moves what is deleted into the trash, where its path says where it was.
func (w *Workspace) putAway(in folder, name string, source *info, to string) error {
	into, newName, err := w.parentMade(to)
	if err != nil {
		return err
	}
	defer into.close()
	return in.rename(name, source, into, newName, false)
}

func (w *Workspace) removeEmpty(rel string) bool {
	in, name, err := w.parent(rel)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	defer in.close()
	err = in.rmdir(name)
	return err == nil || errors.Is(err, fs.ErrNotExist)
}

// ignoreTrash keeps git from what is in the trash, where nothing says what git sees of it.
// What is deleted goes there also where that cannot be.
func ignoreTrash(ctx context.Context, bin folder) (made bool) {
	return bin.put(ctx, protect.Ignore, protect.IgnoreAll, nil, drafting{}) == nil
}

func move(ctx context.Context, w *Workspace, args *plan) (hostapi.Result, error) {
	done, err := w.startChange(ctx, args)
	if err != nil {
		return hostapi.Result{}, err
	}
	defer done()
	from, to := args.at[0], args.at[1]
	in, name, source, err := w.movable(from)
	if err != nil {
		return hostapi.Result{}, err
	}
	defer in.close()
	switch {
	case to.rel == from.rel:
		return hostapi.Result{}, errors.New("from and to are the same; nothing was moved")
	case to.rel == ".", strings.HasPrefix(to.rel+"/", from.rel+"/"):
		return hostapi.Result{}, fmt.Errorf("%s cannot be moved to %s, which is it or lies in it", shown(from.given), shown(to.given))
	case source.IsDir() && !to.folder: // a rule that names a file does not grant a folder there
		return hostapi.Result{}, existsError(to)
	}
	into, newName, err := w.parentMade(to.rel)
	if err != nil {
		return hostapi.Result{}, plain(to.given, err)
	}
	defer into.close()
	replace := false
	there, err := into.lstat(newName)
	if err != nil {
		there = nil
	}
	switch {
	case !args.shownAt(0).is(source, nil):
		return hostapi.Result{}, &changedError{from.given}
	case !args.shownAt(1).is(there, nil):
		return hostapi.Result{}, &changedError{to.given}
	case err == nil && (!args.Overwrite || !there.Mode().IsRegular() || !source.Mode().IsRegular()):
		return hostapi.Result{}, existsError(to)
	case err == nil:
		replace = true
	case !errors.Is(err, fs.ErrNotExist):
		return hostapi.Result{}, plain(to.given, err)
	}
	switch err := in.rename(name, source, into, newName, replace); {
	case errors.Is(err, fs.ErrExist):
		return hostapi.Result{}, existsError(to)
	case err != nil:
		return hostapi.Result{}, plain(from.given, err)
	}
	return hostapi.Succeed("moved " + shown(from.rel) + " to " + shown(to.rel)).WithData(map[string]any{"from": from.rel, "to": to.rel}), nil
}

func existsError(at place) error {
	return fmt.Errorf("%s is there already; nothing was moved; overwrite takes a file for a file", shown(at.given))
}

// movable opens the folder of what is there and may be moved.
func (w *Workspace) movable(at place) (in folder, name string, source *info, err error) {
	if at.rel == "." || at.rel == trash {
		return nil, "", nil, fmt.Errorf("%s cannot be moved", shown(at.given))
	}
	if in, name, err = w.parent(at.rel); err != nil {
		return nil, "", nil, plain(at.given, err)
	}
	source, err = in.lstat(name)
	if err == nil && source.IsDir() && !at.folder { // a rule that names a file does not grant a folder
		err = &changedError{at.given}
	}
	if err != nil {
		in.close()
		return nil, "", nil, plain(at.given, err)
	}
	return in, name, source, nil
}
