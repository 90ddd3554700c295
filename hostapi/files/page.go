package files

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
)

// page is what a call returns of a list: whole entries, as many as are wanted and fit.
type page struct {
	ctx     context.Context //nolint:containedctx // of the call that the page is for
	most    int64           // bytes of a result; 0 for no limit
	wanted  int             // entries
	asked   bool            // for so many, by the caller
	entries []pageEntry
	lines   room
	data    room
	more    bool  // others did not go in
	short   bool  // since the bytes ran out
	ordered bool  // by more than paths: what was not looked at may come before all
	err     error // the run is over
	within  bool  // the first entry is larger than a result holds
}

type pageEntry struct {
	at         cursor // goes on after it
	line       string
	entry      any
	data       json.RawMessage // of entry; of a large one only while there is a turn for it
	text, json need
}

// pageOf is the page that a call asks for; wanted is how many entries it gets if it does not say.
func pageOf(ctx context.Context, args *plan, wanted int) *page {
	p := &page{ctx: ctx, most: args.most, wanted: wanted, lines: roomOf(maxShown), data: roomOf(maxShown)}
	if args.most > 0 && args.most < maxShown {
		p.lines, p.data = roomOf(args.most), roomOf(args.most)
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
	large := len(line) > hostapi.LargeResult
	if large {
		leave, err := hostapi.Turn(p.ctx, int64(len(line)))
		if err != nil {
			p.err = err
			return false
		}
		defer leave()
	}
	e := pageEntry{at: at, line: line, entry: entry, data: encoded(entry), text: needOfText(line)}
	e.text.add(needOfText("\n"))
	e.json = needOfJSON(e.data)
	e.json.size++ // the comma
	if large {
		e.data = nil // it takes several times the line
	}
	if !p.lines.fits(e.text) || !p.data.fits(e.json) {
		if len(p.entries) > 0 {
			p.more, p.short = true, true
			return false
		}
		all := roomOf(p.most)
		p.within = !all.fits(e.text) || !all.fits(e.json)
	}
	p.entries = append(p.entries, e)
	p.lines.take(e.text)
	p.data.take(e.json)
	return true
}

// encoded is an entry as JSON.
func encoded(entry any) json.RawMessage {
	data, err := json.Marshal(entry)
	if err != nil {
		return []byte("null") // there is no such entry
	}
	return data
}

// result is the page as a result, once it is its turn. about is what else its metadata says.
func (p *page) result(walk *walking, about map[string]any) (hostapi.Result, error) {
	if p.err == nil {
		_, p.err = hostapi.Turn(p.ctx, p.lines.size+p.data.size)
	}
	if p.err != nil {
		return hostapi.Result{}, p.err
	}
	more := p.more || walk.inPart()
	truncated := more && (!p.asked || p.short || !p.more || p.ordered && walk.inPart())
	mark := ""
	for truncated {
		mark = p.mark(walk)
		last := len(p.entries) - 1
		if last < 1 || p.lines.fits(needOfText(mark)) {
			break
		}
		p.lines.give(p.entries[last].text)
		p.more, p.entries = true, p.entries[:last]
	}
	lines, data := make([]string, len(p.entries)), make([]byte, 0, p.data.size+p.data.added+2)
	data = append(data, '[')
	for i, e := range p.entries {
		if lines[i] = e.line; i > 0 {
			data = append(data, ',')
		}
		if e.data == nil {
			e.data = encoded(e.entry)
		}
		data = append(data, e.data...)
	}
	if mark != "" {
		lines = append(lines, mark)
	}
	result := hostapi.Succeed(strings.Join(lines, "\n"))
	data = append(data, ']')
	result.Data = data
	result.Truncated, result.CutWithin = truncated || p.within, p.within
	if result.Truncated {
		result.Cut = p.cut(walk)
	}
	about["more"] = more
	if next := p.next(walk); next.path != "" {
		about["next"] = next.String()
	}
	return walk.told(result, len(p.entries), about), nil
}

// cut is what cut the page, and what to do; empty if it was the limit of results alone.
func (p *page) cut(walk *walking) string {
	goOn := "name a smaller path"
	if p.ordered && walk.inPart() {
		return walk.cut(goOn)
	}
	if p.next(walk).path != "" {
		goOn = "go on with cursor, or " + goOn
	}
	switch {
	case p.within:
		return fmt.Sprintf("the first entry alone is longer than a result holds (%s=%d), and no cursor goes on within it; raise %s",
			hostapi.LimitResultBytes, p.most, hostapi.LimitResultBytes)
	case p.short && (p.most <= 0 || p.most > maxShown):
		return fmt.Sprintf("a list has at most %d bytes; %s", maxShown, goOn)
	case p.short:
		return ""
	case p.more && !p.asked:
		return fmt.Sprintf("a list has at most %d entries; %s", p.wanted, goOn)
	case p.more:
		return ""
	}
	return walk.cut(goOn)
}

// cut is why a walk left something out, and what to do.
func (w *walking) cut(goOn string) string {
	if !w.complete {
		return fmt.Sprintf("%s; %s", w.ended, goOn)
	}
	return fmt.Sprintf("%d folders lie more than %d deep and are left out; name one as path", w.tooDeep(), maxDeep)
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
	if n := w.skips.Large; n > 0 {
		result.Notes = append(result.Notes, fmt.Sprintf("files of more than %d MiB were not searched: %d", w.largest>>20, n))
	}
	if n := w.skips.utf16; n > 0 {
		result.Notes = append(result.Notes, fmt.Sprintf("files in UTF-16 were not searched, only UTF-8 is: %d", n))
	}
	if n := w.skips.Binary - w.skips.utf16; n > 0 && found == 0 {
		result.Notes = append(result.Notes, fmt.Sprintf("nothing was found; binary files were not searched: %d", n))
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
	case p.ordered && !walk.complete:
		return fmt.Sprintf("… %s …", walk.cut("name a smaller path"))
	case next.path != "" && !(p.ordered && deep > 0):
		return fmt.Sprintf("… there is more; it goes on with cursor %q …", next)
	case walk.complete && (!p.more || p.ordered) && deep == 1:
		return fmt.Sprintf("… 1 folder lies more than %d deep and is left out; name it as path …", maxDeep)
	case walk.complete && (!p.more || p.ordered):
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
