package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
)

var grepDef = &definition{
	name: "grep",
	data: `[{file, line, text}], with before and after where context is asked for`, metadata: `more; next: the cursor that goes on; files that were searched; skipped: {ignored, unreadable, binary, large (more than 32 MiB), deep}`,
	effect: hostapi.EffectRead, paths: ofPath, folder: true, much: true,
	do: func(ctx context.Context, w *Workspace, args *plan) (hostapi.Result, error) {
		return grep(ctx, w, args, args.Pattern, args.Glob)
	},
	summary: "Finds lines that match a regular expression (RE2 syntax).",
	schema: `{"type":"object","required":["pattern"],"additionalProperties":false,"properties":{
		"pattern":{"type":"string","minLength":1,"description":"a regular expression of RE2"},
		"path":{"type":"string","default":".","description":"the folder, or a file"},
		"glob":{"type":"string","description":"only files that match, such as *.go at any depth or src/**/*.go"},
		` + grepSchema + `,
		"max_results":{"type":"integer","minimum":1,"maximum":50000,"description":"the same as limit"},
		` + pageSchema + `,` + ignoreSchema + `}}`,
}

// grepSchema is what grep and the search tool have in common.
const grepSchema = `"case_sensitive":{"type":"boolean","default":true,"description":"tell capitals from small letters"},
		"context":{"type":"integer","minimum":0,"maximum":20,"description":"lines before and after"},
		"output_mode":{"enum":["content","files_with_matches","count","summary"],"default":"content",
			"description":"data is [{file, line, text}], [path], [{file, count}] or {matches, files}"}`

const (
	// maxShown is how much is kept of all lines together, in bytes.
	maxShown = 4 << 20
	// maxSearched is how large a file may be to be searched.
	maxSearched = 32 << 20
)

// hit is a line that matched.
type hit struct {
	File   string   `json:"file"`
	Line   int      `json:"line"`
	Text   string   `json:"text"`
	Before []string `json:"before,omitempty"`
	After  []string `json:"after,omitempty"`
}

// grepping is a grep under way.
type grepping struct {
	matcher *matcher
	file    string // that is searched, if it is no folder
	mode    string
	context int
	from    cursor
	names   func(path string) string // as scripts name it
	list    *page
	walk    *walking

	searched, files, matches int
}

func grep(ctx context.Context, w *Workspace, args *plan, pattern, glob string) (hostapi.Result, error) {
	at := args.at[0]
	m, err := compileMatcher(pattern, args.CaseSensitive != nil && !*args.CaseSensitive)
	if err != nil {
		return hostapi.Result{}, err
	}
	wanted, err := wantedFiles(at, glob)
	if err != nil {
		return hostapi.Result{}, err
	}
	if args.Limit == nil && args.MaxResults > 0 {
		args.Limit = &args.MaxResults
	}
	g := &grepping{matcher: m, file: at.rel, mode: args.OutputMode, context: args.Context, names: w.asNamed, list: pageOf(ctx, args, maxFound)}
	if g.from, err = cursorOf(args); err != nil {
		return hostapi.Result{}, err
	}
	g.walk = walkingOf(args)
	g.walk.largest = maxSearched
	g.walk.goOn(g.from)
	if err = g.search(ctx, w, at, wanted); err != nil && !errors.Is(err, errEnough) {
		return hostapi.Result{}, err
	}
	about := map[string]any{"files": g.searched}
	if g.mode == "summary" {
		sum := map[string]int{"matches": g.matches, "files": g.files}
		more := g.walk.inPart()
		about["more"] = more
		result := hostapi.Succeed(fmt.Sprintf("%d lines in %d files match", g.matches, g.files)).WithData(sum)
		if result.Truncated = more; more {
			result.Cut = g.walk.cut("name a smaller path")
		}
		return g.walk.told(result, g.files, about), nil
	}
	return g.list.result(g.walk, about)
}

// search walks, and searches what is wanted.
func (g *grepping) search(ctx context.Context, w *Workspace, at place, wanted func(string) bool) error {
	crew := g.hire(ctx)
	defer crew.dismiss()
	err := w.walk(ctx, at, g.walk, func(file walked) error {
		if !file.regular && file.path == at.rel {
			return &aboutError{path: at.given, err: errIrregular}
		}
		if !file.regular || !wanted(below(at.rel, file.path)) || file.path == g.from.path && g.from.line == 0 {
			return nil
		}
		return crew.search(file)
	})
	if err != nil {
		return err
	}
	return crew.finish()
}

// wantedFiles is what a pattern for names lets in, below a place; without one, everything.
func wantedFiles(at place, glob string) (func(string) bool, error) {
	if glob == "" {
		return func(string) bool { return true }, nil
	}
	if !strings.Contains(glob, "/") {
		glob = "**/" + glob // a name, at any depth
	}
	return globMatcher(at.given, glob)
}

// take adds what was found in a file.
func (g *grepping) take(f foundIn) error {
	switch {
	case f.err != nil && f.path == g.file:
		return f.err
	case errors.Is(f.err, errLarge):
		g.walk.skips.Large++
		return nil
	case f.err != nil:
		g.walk.skips.Unreadable++
		return nil
	case f.binary:
		g.walk.skips.passBinary(f.utf16)
		return nil
	}
	g.searched++
	if f.count == 0 {
		return nil
	}
	g.files++
	g.matches += f.count
	name := g.names(f.path)
	added := true
	switch g.mode {
	case "summary":
	case "files_with_matches":
		added = g.list.add(cursor{path: f.path, deep: f.deep}, shown(name), name)
	case "count":
		added = g.list.add(cursor{path: f.path, deep: f.deep}, fmt.Sprintf("%s:%d", shown(name), f.count), map[string]any{"file": name, "count": f.count})
	default:
		for _, h := range f.hits {
			if f.path == g.from.path && h.Line <= g.from.line {
				continue
			}
			if h.File = name; !g.list.add(cursor{h.Line, f.deep, f.path}, h.shown(), h) {
				return errEnough
			}
		}
	}
	if !added {
		return errEnough
	}
	return nil
}

// shown is a hit as lines of text.
func (h *hit) shown() string {
	var out strings.Builder
	file := shown(h.File)
	for i, line := range h.Before {
		fmt.Fprintf(&out, "%s-%d-%s\n", file, h.Line-len(h.Before)+i, line)
	}
	if h.Before == nil && h.After == nil { // as mostly; a line may be long
		return file + ":" + strconv.Itoa(h.Line) + ":" + h.Text
	}
	fmt.Fprintf(&out, "%s:%d:%s", file, h.Line, h.Text)
	for i, line := range h.After {
		fmt.Fprintf(&out, "\n%s-%d-%s", file, h.Line+1+i, line)
	}
	out.WriteString("\n--")
	return out.String()
}

func lineEnd(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(text)
}

// around is up to n lines before the offset at and after the offset end.
func around(text []byte, at, end, n int) (before, after []string) {
	for start := at; start > 0 && len(before) < n; {
		from := bytes.LastIndexByte(text[:start-1], '\n') + 1
		before = append([]string{lineText(text[from : start-1])}, before...)
		start = from
	}
	for start := end + 1; start < len(text) && len(after) < n; {
		to := lineEnd(text, start)
		after = append(after, lineText(text[start:to]))
		start = to + 1
	}
	return before, after
}

// lineText is a line as text, without its end.
func lineText(line []byte) string {
	return strings.ToValidUTF8(string(bytes.TrimSuffix(line, []byte("\r"))), "\uFFFD")
}
