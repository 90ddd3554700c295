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
		return hostapi.Result{}, fmt.Errorf("%s is a binary file of %d bytes; read takes text", shown(args.Path), info.Size())
	} else if err != nil && !errors.Is(err, io.EOF) {
		return hostapi.Result{}, plain(args.Path, err)
	}
	limit := -1
	if args.Limit != nil {
		limit = *args.Limit
	}
	lines, more, err := readLines(ctx, in, args.Offset, limit)
	if err != nil {
		return hostapi.Result{}, err
	}
	text := strings.Join(lines, "")
	replaced := !utf8.ValidString(text)
	text = strings.ToValidUTF8(text, "\uFFFD")

	var numbered strings.Builder
	for i, line := range lines {
		fmt.Fprintf(&numbered, "%6d\t%s\n", args.Offset+i+1, strings.ToValidUTF8(strings.TrimRight(line, "\r\n"), "\uFFFD"))
	}
	metadata, err := json.Marshal(map[string]any{
		"range": readRange{args.Offset, len(lines), more}, "bytes": info.Size(), "invalid_utf8": replaced,
	})
	if err != nil {
		return hostapi.Result{}, err
	}
	var notes []string
	if replaced {
		notes = []string{fmt.Sprintf("%s is not UTF-8: U+FFFD stands for bytes of it, and a file that is written from this text loses them; edit keeps them", shown(args.Path))}
	}
	return hostapi.Result{
		Outcome: hostapi.OutcomeOK, Output: strings.TrimSuffix(numbered.String(), "\n"), Text: &text, Metadata: metadata,
		Truncated: more && args.Limit == nil, Notes: notes,
	}, nil
}

// maxLines is how many lines are read at once: each costs more than it holds.
const maxLines = 500_000

// readLines skips lines and returns the next ones, with their ends, at most
// maxFile bytes and maxLines of them. limit below 0 takes all; more is whether there are
// others.
func readLines(ctx context.Context, in *bufio.Reader, skip, limit int) (lines []string, more bool, err error) {
	size := 0
	for number := 0; ; number++ {
		if number%1024 == 0 && ctx.Err() != nil {
			return nil, false, ctx.Err()
		}
		wanted := number >= skip
		if wanted && limit >= 0 && len(lines) == limit {
			_, err := in.Peek(1)
			return lines, err == nil, nil
		}
		line, over, err := readLine(in, wanted, maxFile-size)
		if len(line) > 0 && wanted {
			if len(lines) == maxLines {
				return lines, true, nil
			}
			lines = append(lines, line)
			size += len(line)
		}
		switch {
		case over:
			return lines, true, nil
		case errors.Is(err, io.EOF):
			return lines, false, nil
		case err != nil:
			return nil, false, err
		}
	}
}

// readLine reads a line with its end, at most room bytes of it; over is set if
// there was no room for the whole. A line that is not wanted is only passed.
func readLine(in *bufio.Reader, wanted bool, room int) (line string, over bool, err error) {
	var out strings.Builder
	for {
		part, err := in.ReadSlice('\n')
		if wanted {
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
