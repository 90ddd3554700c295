package files

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
)

var lsDef = &definition{
	name: "ls", effect: hostapi.EffectRead, paths: ofPath, do: list,
	summary: "Lists a folder: name, type, size and time of each entry.",
	schema:  `{"type":"object","additionalProperties":false,"properties":{"path":{"type":"string"}}}`,
}

// maxEntries is how many entries of a folder are listed.
const maxEntries = 10_000

// entry is one line of a listing.
type entry struct {
	Name     string `json:"name"`
	Type     string `json:"type"` // file, directory, link, other
	Size     int64  `json:"size"`
	Modified string `json:"modified"`
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
	entries := []entry{}
	if !info.IsDir() {
		entries = append(entries, entryOf(path.Base(at.rel), info))
		return listing(entries, 1), nil
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
	for _, child := range children[:min(len(children), maxEntries)] {
		if err := ctx.Err(); err != nil {
			return hostapi.Result{}, err
		}
		if info, err := d.lstat(child.Name()); err == nil { // else it has just gone
			entries = append(entries, entryOf(child.Name(), info))
		}
	}
	return listing(entries, len(children)), nil
}

func entryOf(name string, info fs.FileInfo) entry {
	e := entry{Name: name, Size: info.Size(), Modified: info.ModTime().UTC().Format(time.RFC3339)}
	switch mode := info.Mode(); {
	case mode.IsRegular():
		e.Type = "file"
	case mode.IsDir():
		e.Type, e.Size = "directory", 0
	case mode&fs.ModeSymlink != 0:
		e.Type = "link"
	default:
		e.Type = "other"
	}
	return e
}

func listing(entries []entry, total int) hostapi.Result {
	lines := make([]string, len(entries))
	for i, e := range entries {
		lines[i] = shown(e.Name)
		if e.Type == "directory" {
			lines[i] += "/"
		}
	}
	result := hostapi.Succeed(strings.Join(lines, "\n"))
	if total > maxEntries {
		result.Truncated = true
		result.Output += fmt.Sprintf("\n… %d of %d entries are not listed …", total-maxEntries, total)
	}
	return result.WithData(entries)
}
