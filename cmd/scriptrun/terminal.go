package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/scriptrun/scriptrun/hostapi/plain"
)

// guarded is an env whose output is safe to show: nothing that comes from a script, a
// tool, a server or a file name moves the cursor, changes the direction of writing or
// is invisible. Stderr always counts as a terminal, because people read it in the end;
// stdout, which programs read, only if it is one. Code that draws on the terminal gets
// stderr as it is.
func (e env) guarded() env {
	e.screen, e.rawOut, e.wanted = e.stderr, e.stdout, new(colour)
	*e.wanted = "auto"
	e.lines = &page{painter: painter{e.wanted, e.colours && e.terminal}}
	if e.terminal {
		e.lines.width = e.width
	}
	e.stderr = &terminalWriter{to: e.stderr, page: e.lines}
	if e.terminalOut {
		e.stdout = &terminalWriter{to: e.stdout}
	}
	return e
}

// terminalWriter makes all text that passes it plain. Where it has a page, it lays out
// whole lines as that does.
type terminalWriter struct {
	to    io.Writer
	page  *page
	rest  []byte // the beginning of a character whose end is still missing
	begun bool   // a line has begun, and its end is still missing
}

// Write implements [io.Writer].
func (w *terminalWriter) Write(p []byte) (int, error) {
	text := slices.Concat(w.rest, p)
	whole := len(text)
	for back := 1; back < utf8.UTFMax && back <= len(text); back++ {
		if at := len(text) - back; utf8.RuneStart(text[at]) {
			if !utf8.FullRune(text[at:]) {
				whole = at
			}
			break
		}
	}
	w.rest = append([]byte(nil), text[whole:]...)
	if _, err := io.WriteString(w.to, w.laidOut(plain.Text(string(text[:whole])))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// laidOut is a plain text with its whole lines as the page has them.
func (w *terminalWriter) laidOut(text string) string {
	end := strings.LastIndexByte(text, '\n')
	if w.page == nil || end < 0 {
		w.begun = w.begun || text != ""
		return text
	}
	first := ""
	if w.begun { // such as the answer to a question
		at := strings.IndexByte(text, '\n') + 1
		first, text, end = text[:at], text[at:], end-at
	}
	w.begun = end+1 < len(text)
	if end >= 0 {
		text = w.page.lines(text[:end]) + text[end:]
	}
	return first + text
}

// escaped writes characters that a terminal must not get as JSON escapes, such as
// \u202e. There are none outside of strings.
func escaped(document []byte) []byte {
	text := string(document)
	if plain.Text(text) == text {
		return document
	}
	var b strings.Builder
	for _, r := range text {
		if one := string(r); r == '\n' || plain.Text(one) == one {
			b.WriteRune(r)
		} else if r > 0xffff {
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		} else {
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return []byte(b.String())
}
