package files

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/scriptrun/scriptrun/hostapi"
)

var readDef = &definition{
	name:     "read",
	metadata: `range: {offset, returned_lines, more}; bytes of the file; invalid_utf8; text is the plain lines`,
	effect:   hostapi.EffectRead, paths: ofFile, do: read,
	summary: "Reads a text file, or some of its lines.",
	schema: `{"type":"object","required":["path"],"additionalProperties":false,"properties":{
		"path":{"type":"string","minLength":1,"description":"the file"},
		"offset":{"type":"integer","minimum":0,"description":"lines to skip"},
		"limit":{"type":"integer","minimum":1,"description":"lines to read; all if it is left out"}}}`,
}

// readRange is what a read returned.
type readRange struct {
	Offset        int  `json:"offset"`
	ReturnedLines int  `json:"returned_lines"`
	More          bool `json:"more"`
}

func read(ctx context.Context, w *Workspace, args *plan) (hostapi.Result, error) {
	f, info, err := w.open(args.at[0].rel)
	if err != nil {
		return hostapi.Result{}, err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 64<<10)
	if begin, err := in.Peek(sniff); isBinary(begin) {
		return hostapi.Result{}, binaryError(args.Path, info.Size(), "read")
	} else if err != nil && !errors.Is(err, io.EOF) {
		return hostapi.Result{}, plain(args.Path, err)
	}
	limit := -1
	if args.Limit != nil {
		limit = *args.Limit
	}
	want := wantedLines{skip: args.Offset, limit: limit, text: roomOf(0), output: roomOf(0)}
	if args.part != hostapi.PartOutput {
		want.text = roomOf(args.most)
	}
	if args.part != hostapi.PartText {
		want.output = roomOf(args.most)
	}
	got, err := readLines(ctx, in, want)
	if err != nil {
		return hostapi.Result{}, err
	}
	text, output := strings.Join(got.lines, ""), strings.Join(got.numbered, "")
	metadata, err := json.Marshal(map[string]any{
		"range": readRange{args.Offset, len(got.lines), got.more}, "bytes": info.Size(), "invalid_utf8": got.replaced,
	})
	if err != nil {
		return hostapi.Result{}, err
	}
	var notes []string
	if got.replaced {
		notes = []string{fmt.Sprintf("%s is not UTF-8: U+FFFD stands for bytes of it, and a file that is written from this text loses them; edit keeps them", shown(args.Path))}
	}
	return hostapi.Result{
		Outcome: hostapi.OutcomeOK, Output: strings.TrimSuffix(output, "\n"), Text: &text, Metadata: metadata,
		Truncated: got.more && args.Limit == nil || got.short, Cut: got.cut, CutWithin: got.within, Notes: notes,
	}, nil
}

// maxLines is how many lines are read at once: each costs more than it holds, by lineCost bytes.
const maxLines, lineCost = 500_000, 64

// wantedLines says which lines are read.
type wantedLines struct {
	skip         int
	limit        int  // below 0 for all
	text, output room // for them as they are, and numbered
}

// gotLines are lines that were read.
type gotLines struct {
	lines, numbered []string // with their ends
	replaced        bool     // there is U+FFFD for bytes of them
	more            bool     // there are others
	short           bool     // that is for want of room, not of a wish; or within
	within          bool     // the only line is cut itself
	cut             string   // as in [hostapi.Result]
}

// add reports whether there was room for a line. The first goes in even if there is none.
func (g *gotLines) add(want *wantedLines, line string) bool {
	text := strings.ToValidUTF8(line, "\uFFFD")
	number := want.skip + len(g.lines) + 1
	numbered := fmt.Sprintf("%6d\t%s\n", number, strings.TrimRight(text, "\r\n"))
	asText, asOutput := needOfText(text), needOfText(numbered)
	if !want.text.fits(asText) || !want.output.fits(asOutput) {
		if len(g.lines) > 0 {
			return false
		}
		g.short, g.within = true, true
		g.cut = fmt.Sprintf("line %d alone is longer than a result holds (%s=%d), and no offset goes on within it; raise %s",
			number, hostapi.LimitResultBytes, min(want.text.limit, want.output.limit), hostapi.LimitResultBytes)
	}
	want.text.take(asText)
	want.output.take(asOutput)
	g.lines, g.numbered = append(g.lines, text), append(g.numbered, numbered)
	g.replaced = g.replaced || text != line && !utf8.ValidString(line)
	return true
}

// end is what was read, where there was no room for more of it.
func (g *gotLines) end(cut string) gotLines {
	g.more, g.short = true, true
	if !g.within {
		g.cut = cut
	}
	return *g
}

// readLines returns whole lines: at most maxFile bytes and maxLines of them. A single line is
// returned even if it is too long.
func readLines(ctx context.Context, in *bufio.Reader, want wantedLines) (got gotLines, err error) {
	const goOn = "; go on with offset"
	size := 0
	large := false
	keep := func(more int) (err error) { // waits for a turn before that is much
		if n := size + more + lineCost*len(got.lines); n > hostapi.LargeResult && !large {
			large = true
			_, err = hostapi.Turn(ctx, int64(n))
		}
		return err
	}
	for number := 0; ; number++ {
		if number%1024 == 0 && ctx.Err() != nil {
			return got, ctx.Err()
		}
		wanted := number >= want.skip
		if wanted && want.limit >= 0 && len(got.lines) == want.limit {
			_, err := in.Peek(1)
			got.more = err == nil
			return got, nil
		}
		line, over, err := readLine(in, wanted, maxFile-size, keep)
		switch {
		case err != nil && ctx.Err() != nil:
			return got, ctx.Err()
		case over && len(got.lines) > 0:
			return got.end(fmt.Sprintf("read takes at most %d bytes at once%s", maxFile, goOn)), nil
		case over:
			got.add(&want, line)
			got.more, got.short, got.within = true, true, true
			got.cut = fmt.Sprintf("line %d alone is longer than the %d bytes that read takes", number+1, maxFile)
			return got, nil
		case len(line) > 0 && wanted && len(got.lines) == maxLines:
			return got.end(fmt.Sprintf("read takes at most %d lines at once%s", maxLines, goOn)), nil
		case len(line) > 0 && wanted:
			if !got.add(&want, line) {
				return got.end(""), nil
			}
			size += len(line)
		}
		switch {
		case errors.Is(err, io.EOF):
			return got, nil
		case err != nil:
			return got, err
		}
	}
}

// readLine reads a line with its end, at most room bytes of it; over is set if
// there was no room for the whole. A line that is not wanted is only passed. keep is told how
// much there is of one that is.
func readLine(in *bufio.Reader, wanted bool, room int, keep func(bytes int) error) (line string, over bool, err error) {
	var out strings.Builder
	for {
		part, err := in.ReadSlice('\n')
		if wanted {
			if err := keep(out.Len() + len(part)); err != nil {
				return "", false, err
			}
			if out.Len()+len(part) > room {
				out.Write(part[:room-out.Len()])
				return out.String(), true, nil
			}
			out.Write(part)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return out.String(), false, err
		}
	}
}
