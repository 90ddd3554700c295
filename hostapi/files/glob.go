package files

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/scriptrun/scriptrun/hostapi"
)

var globDef = &definition{
	name: "glob",
	data: `[path], in the order of names, folder by folder`, metadata: `more; next: the cursor that goes on; skipped: {ignored, unreadable, binary, large, deep}`,
	effect: hostapi.EffectRead, paths: ofPath, folder: true, much: true,
	do: func(ctx context.Context, w *Workspace, args *plan) (hostapi.Result, error) {
		return glob(ctx, w, args, args.Pattern)
	},
	summary: "Finds files by pattern, such as **/*.go; paths come relative to the workspace.",
	schema: `{"type":"object","required":["pattern"],"additionalProperties":false,"properties":{
		"pattern":{"type":"string","minLength":1,"description":"relative to path; ** for any depth"},
		"path":{"type":"string","default":".","description":"the folder, or a file"},
		"details":{"type":"boolean","default":false,"description":"data is [{path, type, size, modified}] in place of [path]"},
		` + sortSchema + `,` + pageSchema + `,` + ignoreSchema + `}}`,
}

// maxFound is how many entries a list has.
const maxFound = 50_000

// foundFile is an entry of a glob with details.
type foundFile struct {
	Path string `json:"path"`
	fileAbout
}

func glob(ctx context.Context, w *Workspace, args *plan, pattern string) (hostapi.Result, error) {
	at := args.at[0]
	matches, err := globMatcher(at.given, pattern)
	if err != nil {
		return hostapi.Result{}, err
	}
	from, err := cursorOf(args)
	if err != nil {
		return hostapi.Result{}, err
	}
	sorted := sortedBy(args.Sort)
	list := pageOf(ctx, args, maxFound)
	how := walkingOf(args)
	how.named = literalFolder(at.rel, pattern)
	if sorted == nil {
		how.goOn(from)
	}
	var found []foundFile
	dropped := false // some that come after the first maxFound
	byOrder := func(x, y foundFile) int { return sorted(x.fileAbout, y.fileAbout) }
	put := func(f foundFile, deep int) bool {
		var entry any = f.Path
		if args.Details {
			entry = f
		}
		return list.add(cursor{path: f.Path, deep: deep}, shown(f.Path), entry)
	}
	err = w.walk(ctx, at, how, func(file walked) error {
		if !matches(below(at.rel, file.path)) || file.path == how.after {
			return nil
		}
		f := foundFile{Path: file.path}
		if args.Details || sorted != nil {
			info, err := file.in.lstat(file.name)
			if err != nil {
				return nil // it has just gone
			}
			f.fileAbout = aboutFile(info)
		}
		if sorted != nil {
			if found = append(found, f); len(found) == 2*maxFound {
				slices.SortStableFunc(found, byOrder)
				found, dropped = found[:maxFound], true
			}
		} else if !put(f, file.deep) {
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return hostapi.Result{}, err
	}
	if sorted != nil {
		how.last, list.ordered = cursor{}, true
		slices.SortStableFunc(found, byOrder)
		if len(found) > maxFound {
			found, dropped = found[:maxFound], true
		}
		rest, err := goOn(found, from, func(f foundFile) string { return f.Path })
		if err != nil {
			return hostapi.Result{}, err
		}
		for _, f := range rest {
			if !put(f, 0) {
				break
			}
		}
		if dropped && !list.more && how.complete {
			how.complete, how.ended = false, fmt.Sprintf("a sorted list ends after %d files", maxFound)
		}
	}
	return list.result(how, map[string]any{})
}

// errEnough ends a walk that has found all it may.
var errEnough = errors.New("enough")

// The bounds of a pattern, in bytes: as it is given, and with all combinations of
// its alternatives written out, which are tried one after the other.
const (
	maxGlob    = 4096
	maxWritten = 128 << 10
	// maxWrittenRule is less: each call is matched against every rule.
	maxWrittenRule = 16 << 10
)

// matches reports whether a path is what a rule's pattern names. One that was never
// checked, since the tool that it is for is not there, names nothing that can be told.
func matches(pattern, path string) (matched, known bool) {
	if !fewAlternatives(pattern, maxWrittenRule) {
		return false, false
	}
	matched, err := doublestar.Match(pattern, path)
	return matched && err == nil, err == nil
}

// fewAlternatives reports whether the combinations of {a,b} are within bounds. It
// takes groups within groups for more than they are.
func fewAlternatives(pattern string, most int) bool {
	total := max(len(pattern), 1)
	var open []int // alternatives of the groups around
	for i := 0; i < len(pattern) && total <= most; i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '{':
			open = append(open, 1)
		case ',':
			if len(open) > 0 {
				open[len(open)-1]++
			}
		case '}':
			if len(open) > 0 {
				total *= open[len(open)-1]
				open = open[:len(open)-1]
			}
		}
	}
	return total <= most
}

// globMatcher checks a pattern once. One without slash and wildcard folder
// matches names in the folder itself, as in a shell.
func globMatcher(given, pattern string) (func(string) bool, error) {
	if size := len(pattern); size > maxGlob {
		return nil, fmt.Errorf("the pattern has %d bytes; %d is the most", size, maxGlob)
	}
	pattern = strings.TrimPrefix(pattern, "./")
	if !doublestar.ValidatePattern(pattern) {
		return nil, fmt.Errorf("%q is not a pattern; write one such as **/*.go", pattern)
	}
	if strings.HasPrefix(pattern, "/") || strings.Contains("/"+pattern+"/", "/../") {
		return nil, fmt.Errorf("%q leads out of %s; name the folder as path", pattern, given)
	}
	if !fewAlternatives(pattern, maxWritten) {
		return nil, errors.New("the alternatives in {} multiply too much; ask for fewer at a time")
	}
	return func(name string) bool { return doublestar.MatchUnvalidated(pattern, name) }, nil
}

// below is a file relative to the folder that it was found in; for a folder
// that is that very file, it is its name.
func below(folder, file string) string {
	switch {
	case folder == ".":
		return file
	case folder == file:
		return file[strings.LastIndexByte(file, '/')+1:]
	}
	return strings.TrimPrefix(file, folder+"/")
}
