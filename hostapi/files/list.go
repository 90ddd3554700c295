package files

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
)

var lsDef = &definition{
	name: "ls",
	data: `[{name, type, size, modified}]`, metadata: `more; next: the cursor that goes on`,
	effect: hostapi.EffectRead, paths: ofPath, much: true, do: list,
	summary: "Lists a folder: name, type, size and time of each entry.",
	schema: `{"type":"object","additionalProperties":false,"properties":{
		"path":{"type":"string","default":".","description":"the folder, or a file"},
		` + sortSchema + `,` + pageSchema + `}}`,
}

// What all that lists has in its schema.
const (
	pageSchema   = `"limit":{"type":"integer","minimum":1,"maximum":50000,"description":"how many; all that fit if it is left out, 50000 at most"},` + cursorSchema
	cursorSchema = `"cursor":{"type":"string","description":"metadata.next of the call that this one goes on after"}`
	sortSchema   = `"sort":{"enum":["path","backend","modified","size"],"default":"path","description":"modified: the newest first; size: the largest first; backend: as path"}`
	ignoreSchema = `"no_ignore":{"type":"boolean","default":false,"description":"also what version control ignores, and folders without sources, such as node_modules; if false is given, no note tells of them"}`
)

// entry is one line of a listing.
type entry struct {
	Name string `json:"name"`
	fileAbout
}

// fileAbout is what a listing says of a file.
type fileAbout struct {
	Type     string `json:"type"` // file, directory, link, other
	Size     int64  `json:"size"`
	Modified string `json:"modified"`

	time time.Time
}

// sortedBy is an order of a list besides that of paths; nil for that.
func sortedBy(order string) func(x, y fileAbout) int {
	switch order {
	case "modified":
		return func(x, y fileAbout) int { return y.time.Compare(x.time) }
	case "size":
		return func(x, y fileAbout) int { return cmp.Compare(y.Size, x.Size) }
	}
	return nil
}

// goOn is what comes after a cursor in a list that is not in the order of paths.
func goOn[T any](all []T, from cursor, path func(T) string) ([]T, error) {
	if from.path == "" {
		return all, nil
	}
	at := slices.IndexFunc(all, func(one T) bool { return path(one) == from.path })
	if at < 0 {
		return nil, fmt.Errorf("%s, after which cursor goes on, is not in the list any more; begin without cursor", shown(from.path))
	}
	return all[at+1:], nil
}

func list(ctx context.Context, w *Workspace, args *plan) (hostapi.Result, error) {
	at := args.at[0]
	in, name, err := w.parent(at.rel)
	if err != nil {
		return hostapi.Result{}, plain(at.given, err)
	}
	defer in.close()
	info, err := in.lstat(name)
	if err != nil {
		return hostapi.Result{}, plain(at.given, err)
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return hostapi.Result{}, &changedError{at.given}
	}
	from, err := cursorOf(args)
	if err != nil {
		return hostapi.Result{}, err
	}
	if !info.IsDir() {
		return listing(ctx, args, from, []entry{{path.Base(at.rel), aboutFile(info)}})
	}
	d, err := in.sub(name)
	if err != nil {
		return hostapi.Result{}, plain(at.given, err)
	}
	defer d.close()
	children, err := d.entries()
	if err != nil {
		return hostapi.Result{}, plain(at.given, err)
	}
	var entries []entry
	for _, child := range children {
		if err := ctx.Err(); err != nil {
			return hostapi.Result{}, err
		}
		if sortedBy(args.Sort) == nil && child.Name() <= from.path {
			continue
		}
		if info, err := d.lstat(child.Name()); err == nil { // else it has just gone
			entries = append(entries, entry{child.Name(), aboutFile(info)})
		}
	}
	return listing(ctx, args, from, entries)
}

func aboutFile(info fs.FileInfo) fileAbout {
	a := fileAbout{Size: info.Size(), Modified: info.ModTime().UTC().Format(time.RFC3339), time: info.ModTime()}
	switch mode := info.Mode(); {
	case mode.IsRegular():
		a.Type = "file"
	case mode.IsDir():
		a.Type, a.Size = "directory", 0
	case mode&fs.ModeSymlink != 0:
		a.Type = "link"
	default:
		a.Type = "other"
	}
	return a
}

// listing is the page of entries that a call asks for.
func listing(ctx context.Context, args *plan, from cursor, entries []entry) (hostapi.Result, error) {
	if sorted := sortedBy(args.Sort); sorted != nil {
		slices.SortStableFunc(entries, func(x, y entry) int { return sorted(x.fileAbout, y.fileAbout) })
		rest, err := goOn(entries, from, func(e entry) string { return e.Name })
		if err != nil {
			return hostapi.Result{}, err
		}
		entries = rest
	}
	list := pageOf(ctx, args, maxFound)
	for _, e := range entries {
		line := shown(e.Name)
		if e.Type == "directory" {
			line += "/"
		}
		if !list.add(cursor{path: e.Name}, line, e) {
			break
		}
	}
	return list.result(&walking{complete: true}, map[string]any{})
}
