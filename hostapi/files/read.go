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
	wanted := wantedLines{skip: args.Offset, limit: limit, most: args.most}
	if args.part != hostapi.PartText {
		wanted.each = len(numbered(0, ""))
	}
	lines, more, short, err := readLines(ctx, in, wanted)
	if err != nil {
		return hostapi.Result{}, err
	}
	text := strings.Join(lines, "")
	replaced := !utf8.ValidString(text)
	text = strings.ToValidUTF8(text, "\uFFFD")

	var out strings.Builder
	for i, line := range lines {
		out.WriteString(numbered(args.Offset+i+1, strings.ToValidUTF8(strings.TrimRight(line, "\r\n"), "\uFFFD")))
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
		Outcome: hostapi.OutcomeOK, Output: strings.TrimSuffix(out.String(), "\n"), Text: &text, Metadata: metadata,
		Truncated: more && (args.Limit == nil || short), Notes: notes,
	}, nil
}

// numbered is a line as the output has it.
func numbered(number int, line string) string { return fmt.Sprintf("%6d\t%s\n", number, line) }

// maxLines is how many lines are read at once: each costs more than it holds.
const maxLines = 500_000

// wantedLines says which lines are read.
type wantedLines struct {
	skip  int
	limit int   // below 0 for all
	most  int64 // bytes that they take; 0 for no such limit
	each  int   // bytes that a line takes besides its own
}

// readLines returns whole lines, with their ends: at most maxFile bytes and maxLines of them. more
// is whether there are others, and short whether that is for want of room, not of a wish. A
// single line is returned even if it is too long.
func readLines(ctx context.Context, in *bufio.Reader, want wantedLines) (lines []string, more, short bool, err error) {
	size, taken := 0, int64(0)
	for number := 0; ; number++ {
		if number%1024 == 0 && ctx.Err() != nil {
			return nil, false, false, ctx.Err()
		}
		wanted := number >= want.skip
		if wanted && want.limit >= 0 && len(lines) == want.limit {
			_, err := in.Peek(1)
			return lines, err == nil, false, nil
		}
		line, over, err := readLine(in, wanted, maxFile-size)
		if len(line) > 0 && wanted {
			taken += int64(len(line) + want.each)
			if len(lines) == maxLines || len(lines) > 0 && want.most > 0 && taken > want.most {
				return lines, true, true, nil
			}
			lines = append(lines, line)
			size += len(line)
		}
		switch {
		case over:
			return lines, true, true, nil
		case errors.Is(err, io.EOF):
			return lines, false, false, nil
		case err != nil:
			return nil, false, false, err
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
