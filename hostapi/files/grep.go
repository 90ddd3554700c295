package files

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/clip"
)

var grepDef = &definition{
	name: "grep", effect: hostapi.EffectRead, paths: ofPath, folder: true,
	do: func(ctx context.Context, w *Workspace, args *plan) (hostapi.Result, error) {
		return grep(ctx, w, grepQuery{
			at: args.at[0], pattern: args.Pattern, glob: args.Glob, fold: args.CaseSensitive != nil && !*args.CaseSensitive,
			context: args.Context, most: args.MaxResults,
		})
	},
	summary: "Finds lines that match a regular expression (RE2 syntax).",
	schema: `{"type":"object","required":["pattern"],"additionalProperties":false,"properties":{
		"pattern":{"type":"string","minLength":1},"path":{"type":"string"},
		"glob":{"type":"string","description":"only files that match, such as *.go at any depth or src/**/*.go"},
		"case_sensitive":{"type":"boolean","default":true},
		"context":{"type":"integer","minimum":0,"maximum":20,"description":"lines before and after"},
		"max_results":{"type":"integer","minimum":1,"maximum":10000,"default":1000}}}`,
}

const (
	defaultResults = 1000
	// maxLine is how much of a line is shown.
	maxLine = 1000
	// maxShown is how much is kept of all lines together, in bytes.
	maxShown = 4 << 20
	// maxSearched is how large a file may be to be searched.
	maxSearched = 32 << 20
)

type grepQuery struct {
	at            place
	pattern, glob string
	fold          bool
	context, most int
}

// hit is a line that matched.
type hit struct {
	File   string   `json:"file"`
	Line   int      `json:"line"`
	Text   string   `json:"text"`
	Before []string `json:"before,omitempty"`
	After  []string `json:"after,omitempty"`
}

// findings are the lines that matched so far.
type findings struct {
	hits []hit
	size int // of their texts, in bytes
}

func (f *findings) add(h hit) {
	f.hits = append(f.hits, h)
	f.size += len(h.Text)
	for _, around := range [][]string{h.Before, h.After} {
		for _, line := range around {
			f.size += len(line)
		}
	}
}

// full reports whether the last one is more than is asked for, or than is kept.
func (f *findings) full(most int) bool { return len(f.hits) > most || f.size > maxShown }

// searched says what a grep looked at and what it passed over.
type searched struct {
	Files  int  `json:"files"`
	Binary int  `json:"binary_skipped"`
	Large  int  `json:"large_skipped"`
	More   bool `json:"more"`
}

func grep(ctx context.Context, w *Workspace, q grepQuery) (hostapi.Result, error) {
	re, err := compileMatcher(q.pattern, q.fold)
	if err != nil {
		return hostapi.Result{}, err
	}
	wanted := func(string) bool { return true }
	if q.glob != "" {
		if !strings.Contains(q.glob, "/") {
			q.glob = "**/" + q.glob // a name, at any depth
		}
		if wanted, err = globMatcher(q.at.given, q.glob); err != nil {
			return hostapi.Result{}, err
		}
	}
	if q.most == 0 {
		q.most = defaultResults
	}
	found := findings{hits: []hit{}}
	var seen searched
	complete, err := w.walk(ctx, q.at, func(file walked) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !file.regular || !wanted(below(q.at.rel, file.path)) {
			return nil
		}
		text, _, err := readAll(file.in, file.name, file.path, maxSearched)
		switch {
		case err != nil && file.path == q.at.rel:
			return err
		case err != nil:
			seen.Large++
			return nil
		case isBinary(text):
			seen.Binary++
			return nil
		}
		seen.Files++
		if err := re.lines(ctx, &found, w.asNamed(file.path), text, q); err != nil {
			return err
		}
		if seen.More = found.full(q.most); seen.More {
			found.hits = found.hits[:len(found.hits)-1]
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return hostapi.Result{}, err
	}
	seen.More = seen.More || !complete
	return grepResult(found.hits, seen), nil
}

func grepResult(hits []hit, seen searched) hostapi.Result {
	var out strings.Builder
	for _, h := range hits {
		file := shown(h.File)
		for i, line := range h.Before {
			fmt.Fprintf(&out, "%s-%d-%s\n", file, h.Line-len(h.Before)+i, line)
		}
		fmt.Fprintf(&out, "%s:%d:%s\n", file, h.Line, h.Text)
		for i, line := range h.After {
			fmt.Fprintf(&out, "%s-%d-%s\n", file, h.Line+1+i, line)
		}
		if h.Before != nil || h.After != nil {
			out.WriteString("--\n")
		}
	}
	if seen.More {
		fmt.Fprintf(&out, "… more than these %d lines match; raise max_results, or search less …\n", len(hits))
	}
	result := hostapi.Succeed(strings.TrimSuffix(out.String(), "\n")).WithData(hits)
	result.Truncated = seen.More
	metadata, err := json.Marshal(seen)
	if err != nil {
		return hostapi.Fail(err.Error())
	}
	result.Metadata = metadata
	return result
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
		before = append([]string{shownLine(text[from : start-1])}, before...)
		start = from
	}
	for start := end + 1; start < len(text) && len(after) < n; {
		to := lineEnd(text, start)
		after = append(after, shownLine(text[start:to]))
		start = to + 1
	}
	return before, after
}

// shownLine is a line as text, cut if it is long, and saying so.
func shownLine(line []byte) string {
	line = bytes.TrimSuffix(line, []byte("\r"))
	size := len(line)
	text := strings.ToValidUTF8(string(line[:min(size, maxLine+utf8.UTFMax)]), "\uFFFD")
	if size > maxLine || len(text) > maxLine {
		return fmt.Sprintf("%s … (%d bytes)", clip.Head(text, maxLine), size)
	}
	return text
}
