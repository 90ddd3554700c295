package main

import (
	"fmt"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/clip"
	"github.com/scriptrun/scriptrun/runtime"
)

// maxScrolled is how many bytes wait to be written to a terminal at most, and maxUnended
// is how long a line may become before it is written without its end.
const (
	maxScrolled = 64 << 10
	maxUnended  = 4 << 10
)

// scroll is the output of scripts and commands as lines for a terminal, each marked as
// theirs. It delays nobody: it drops what a terminal does not take in time, and says
// so. It is not safe for concurrent use.
type scroll struct {
	page    *page // keeps a terminal from beginning a row within a line, without its mark
	ready   strings.Builder
	left    int // lines that were left out
	unended map[unendedKey]unended
	logs    bool // a line that was left out was of the console
}

// unended is the beginning of a line.
type unended struct{ who, text string }

type unendedKey struct {
	seq    int
	stream string
}

// add adds text of somebody, or reports false if it drops it.
func (s *scroll) add(who, text string) bool {
	line := runtime.Entry{Level: who, Text: text}.String() + "\n"
	if s.ready.Len()+len(line) > maxScrolled {
		s.left++
		return false
	}
	s.ready.WriteString(line)
	return true
}

// log adds an entry of the console.
func (s *scroll) log(e runtime.Entry) {
	if !s.add(e.Level, e.Text) {
		s.logs = true
	}
}

// output adds the output of a call, a line at a time.
func (s *scroll) output(who string, o hostapi.CallOutput) {
	key := unendedKey{o.Seq, o.Stream}
	text := s.unended[key].text
	delete(s.unended, key)
	if o.Dropped > 0 {
		if text != "" {
			s.add(who, shownText(text))
			text = ""
		}
		s.add(who, fmt.Sprintf("… %d bytes are not shown here …", o.Dropped))
	}
	text += string(o.Data)
	for {
		line, rest, ended := strings.Cut(text, "\n")
		if !ended {
			break
		}
		s.add(who, shownText(line))
		text = rest
	}
	if at := strings.LastIndexByte(strings.TrimSuffix(text, "\r"), '\r'); at >= 0 { // the rest overwrites it
		text = text[at+1:]
	}
	for len(text) > maxUnended {
		head := clip.Head(text, maxUnended)
		s.add(who, shownText(head))
		text = text[len(head):]
	}
	if text != "" {
		if s.unended == nil {
			s.unended = map[unendedKey]unended{}
		}
		s.unended[key] = unended{who, text}
	}
}

// end adds the last lines of calls that do not end in a newline.
func (s *scroll) end() {
	for _, last := range s.unended {
		s.add(last.who, shownText(last.text))
	}
	clear(s.unended)
}

// empty reports whether there is nothing to write.
func (s *scroll) empty() bool { return s.ready.Len() == 0 && s.left == 0 }

// take returns the text to write now.
func (s *scroll) take() string {
	text := s.ready.String()
	s.ready.Reset()
	if s.left > 0 {
		text += runtime.Entry{Level: "scriptrun", Text: fmt.Sprintf("… %d lines are not shown here …", s.left)}.String() + "\n"
		s.left = 0
	}
	if s.page != nil && text != "" {
		text = s.page.lines(strings.TrimSuffix(text, "\n")) + "\n"
	}
	return text
}

// shownText is a line as a terminal would leave it: without colours, and only the last
// of what overwrites itself.
func shownText(line string) string {
	line = strings.TrimSuffix(line, "\r")
	line = line[strings.LastIndexByte(line, '\r')+1:]
	const begin = "\x1b["
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(line, begin)
		out.WriteString(before)
		if !found {
			return out.String()
		}
		end := strings.IndexFunc(rest, func(r rune) bool { return r >= '@' && r <= '~' })
		if end < 0 || strings.Trim(rest[:end], "0123456789;:?") != "" || rest[end] != 'm' && rest[end] != 'K' {
			out.WriteString(begin) // another sequence, which is made plain
			line = rest
			continue
		}
		line = rest[end+1:]
	}
}
