package files

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/clip"
)

// page is what a call returns of a list: whole entries, as many as are wanted and fit.
type page struct {
	most    int64 // bytes of the lines, and of the data
	wanted  int   // entries
	asked   bool  // for so many, by the caller
	entries []pageEntry
	lines   int64
	data    int64
	more    bool // others did not go in
	short   bool // since the bytes ran out
}

type pageEntry struct {
	at   cursor // goes on after it
	line string
	data json.RawMessage
}

// pageOf is the page that a call asks for; wanted is how many entries it gets if it does not say.
func pageOf(args *plan, wanted int) *page {
	p := &page{most: maxShown, wanted: wanted}
	if args.most > 0 {
		p.most = min(p.most, args.most)
	}
	if args.Limit != nil {
		p.wanted, p.asked = *args.Limit, true
	}
	return p
}

// add reports false, and takes nothing, if the page is full.
func (p *page) add(at cursor, line string, entry any) bool {
	if len(p.entries) == p.wanted {
		p.more = true
		return false
	}
	data, err := json.Marshal(entry)
	if err != nil {
		data = []byte("null") // there is no such entry
	}
	size := clip.JSONSize(data) + 1
	if len(p.entries) > 0 && (p.lines+int64(len(line)) >= p.most || p.data+size >= p.most) {
		p.more, p.short = true, true
		return false
	}
	p.entries = append(p.entries, pageEntry{at, line, data})
	p.lines += int64(len(line)) + 1
	p.data += size
	return true
}

// result is the page as a result. about is what else its metadata says.
func (p *page) result(walk *walking, about map[string]any) hostapi.Result {
	more := p.more || !walk.complete || walk.tooDeep() > 0
	truncated := more && (!p.asked || p.short || !p.more)
	mark := ""
	for truncated {
		mark = p.mark(walk)
		last := len(p.entries) - 1
		if last < 1 || p.lines+int64(len(mark)) <= p.most {
			break
		}
		p.more, p.lines, p.entries = true, p.lines-int64(len(p.entries[last].line))-1, p.entries[:last]
	}
	lines, data := make([]string, len(p.entries)), make([][]byte, len(p.entries))
	for i, entry := range p.entries {
		lines[i], data[i] = entry.line, entry.data
	}
	if mark != "" {
		lines = append(lines, mark)
	}
	result := hostapi.Succeed(strings.Join(lines, "\n"))
	result.Data = append(append([]byte("["), bytes.Join(data, []byte(","))...), ']')
	result.Truncated = truncated
	if p.more && !p.short && !p.asked {
		result.Cut = fmt.Sprintf("a list has at most %d entries; go on with cursor, or name a smaller path", p.wanted)
	}
	about["more"] = more
	if next := p.next(walk); next.path != "" {
		about["next"] = next.String()
	}
	return walk.told(result, len(p.entries), about)
}

// told adds what a walk passed over.
func (w *walking) told(result hostapi.Result, found int, about map[string]any) hostapi.Result {
	about["skipped"] = w.skips
	metadata, err := json.Marshal(about)
	if err != nil {
		return hostapi.Fail(err.Error())
	}
	result.Metadata = metadata
	if n := w.skips.Unreadable; n > 0 {
		result.Notes = append(result.Notes, fmt.Sprintf("%d files or folders could not be read", n))
	}
	if n := w.skips.Ignored; n > 0 && found == 0 && !w.decided {
		result.Notes = append(result.Notes, fmt.Sprintf(
			"nothing was found; %d files or folders were passed over, as version control ignores them or they hold no sources: no_ignore looks at them", n))
	}
	return result
}

// mark is the last line of a page that is not all there is.
func (p *page) mark(walk *walking) string {
	next, deep := p.next(walk), walk.tooDeep()
	switch {
	case next.path != "":
		return fmt.Sprintf("… there is more; it goes on with cursor %q …", next)
	case walk.complete && !p.more && deep == 1:
		return fmt.Sprintf("… 1 folder lies more than %d deep and is left out; name it as path …", maxDeep)
	case walk.complete && !p.more:
		return fmt.Sprintf("… %d folders lie more than %d deep and are left out; name one as path …", deep, maxDeep)
	}
	return "… there is more; name a smaller path …"
}

// next is where the list goes on after the page; the zero cursor if a call cannot go on there.
func (p *page) next(walk *walking) (at cursor) {
	switch n := len(p.entries); {
	case p.more && n > 0:
		at = p.entries[n-1].at
	case p.more || !walk.complete:
		at = walk.last
	}
	return at
}

// cursor is where a list goes on: after a path, or after a line of it.
type cursor struct {
	line int // 0 for all of it
	deep int // folders before it that lie too deep
	path string
}

// String is the cursor as callers hand it back.
func (c cursor) String() string {
	if c.deep > 0 {
		return fmt.Sprintf("%d+%d:%s", c.line, c.deep, c.path)
	}
	return fmt.Sprintf("%d:%s", c.line, c.path)
}

// cursorOf is the cursor that a call was given; the zero cursor is the beginning.
func cursorOf(args *plan) (at cursor, err error) {
	if args.Cursor == "" {
		return at, nil
	}
	place, path, found := strings.Cut(args.Cursor, ":")
	line, deep, _ := strings.Cut(place, "+")
	if deep != "" {
		at.deep, err = strconv.Atoi(deep)
	}
	if err == nil {
		at.line, err = strconv.Atoi(line)
	}
	if err != nil || !found || path == "" || at.line < 0 || at.deep < 0 {
		return at, fmt.Errorf("%q is no cursor; expected metadata.next of an earlier call, or none to begin with", args.Cursor)
	}
	at.path = path
	return at, nil
}
