package scripttools

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/adrg/frontmatter"
)

// syntax is one way to write a header: its fences and its decoder. In a
// JavaScript file the fences are those of a block comment, so that the whole
// file stays valid JavaScript and its line numbers stay true.
type syntax struct {
	fence  string
	decode func(block []byte, first int) tree
}

var syntaxes = []syntax{{"---", decodeYAML}, {"+++", decodeTOML}, {";;;", decodeJSON}}

func (s syntax) fences(comment bool) (opening, closing string) {
	if comment {
		return "/*" + s.fence, s.fence + "*/"
	}
	return s.fence, s.fence
}

// header is a header that has been found and decoded.
type header struct {
	tree
	opening place  // the opening fence
	body    string // what follows the closing fence
}

// splitHeader finds the header of a file, cuts it out, and decodes it. found
// is false for a file without one; a header that is there and cannot be cut
// out is a problem. A fence is a line of its own that begins in column 1:
// neither an indented one, as in a block of text, nor ---x is one.
func splitHeader(t *text, comment bool) (h *header, found bool, problems []Problem) {
	lines := splitLines(t.body)
	at := skipPrologue(lines)
	if at == len(lines) {
		return nil, false, nil
	}
	for _, s := range syntaxes {
		opening, closing := s.fences(comment)
		if !isFence(lines[at], opening) {
			continue
		}
		end := at + 1
		for end < len(lines) && !isFence(lines[end], closing) {
			end++
		}
		if end == len(lines) {
			return nil, true, []Problem{unclosed(t, lines, at, opening, closing)}
		}
		if comment {
			problems = commentEnds(t, lines, at+1, end)
		}
		h, err := cut(s, lines, at, end)
		if err != nil {
			return nil, true, append(problems, t.problem(place{at + 1, 1}, "", "the header cannot be read: %v", err))
		}
		if problems != nil { // part of the header would be run as a script
			h.root = nil
		}
		return h, true, problems
	}
	if comment {
		problems = misplaced(t, lines, at)
	}
	return nil, problems != nil, problems
}

// cut hands the header and what follows to the front matter reader. That one
// looks for its fences in trimmed lines, so an indented fence would close the
// header early; the closing fence it gets is therefore one that no line of the
// header can be taken for.
func cut(s syntax, lines [][]byte, at, end int) (*header, error) {
	block := joinLines(lines[at+1 : end])
	closing := s.fence
	for hasLine(lines[at+1:end], closing) {
		closing += s.fence
	}
	var input bytes.Buffer
	fmt.Fprintf(&input, "%s\n%s%s\n", s.fence, block, closing)
	input.Write(joinLines(lines[end+1:]))

	var decoded tree
	format := frontmatter.NewFormat(s.fence, closing, func(data []byte, v any) error {
		out, ok := v.(*tree)
		if !ok {
			return errors.New("unexpected target")
		}
		*out = s.decode(data, at+2)
		return nil
	})
	body, err := frontmatter.MustParse(&input, &decoded, format)
	if err != nil {
		return nil, err
	}
	return &header{tree: decoded, opening: place{at + 1, 1}, body: string(body)}, nil
}

func hasLine(lines [][]byte, fence string) bool {
	for _, line := range lines {
		if string(bytes.TrimSpace(line)) == fence {
			return true
		}
	}
	return false
}

// splitLines cuts at line feeds and drops carriage returns before them.
func splitLines(body []byte) [][]byte {
	lines := bytes.Split(body, []byte("\n"))
	for i, line := range lines {
		lines[i] = bytes.TrimSuffix(line, []byte("\r"))
	}
	return lines
}

func joinLines(lines [][]byte) []byte {
	var b []byte
	for _, line := range lines {
		b = append(append(b, line...), '\n')
	}
	return b
}

// skipPrologue is the index of the first line that can open a header: after a
// #! line and blank lines.
func skipPrologue(lines [][]byte) int {
	at := 0
	if bytes.HasPrefix(lines[0], []byte("#!")) {
		at = 1
	}
	for at < len(lines) && len(bytes.TrimSpace(lines[at])) == 0 {
		at++
	}
	return at
}

func isFence(line []byte, fence string) bool {
	return string(bytes.TrimRight(line, " \t")) == fence
}

// unclosed tells of a header without end, and of the line that looks like it.
func unclosed(t *text, lines [][]byte, at int, opening, closing string) Problem {
	hint := fmt.Sprintf("close it with a line %s that begins in column 1", closing)
	for i, line := range lines[at+1:] {
		trimmed := strings.TrimSpace(string(line))
		if trimmed == closing || strings.HasPrefix(trimmed, closing) || trimmed == "*/" {
			hint += fmt.Sprintf("; line %d is not one: the fence stands alone and is not indented", at+2+i)
			break
		}
	}
	return t.problem(place{at + 1, 1}, hint, "the header that %s opens here is not closed", opening)
}

// commentEnds reports each */ inside the header of a JavaScript file: there
// the comment ends, and the rest of the header would be script.
func commentEnds(t *text, lines [][]byte, from, to int) (problems []Problem) {
	for i := from; i < to; i++ {
		if col := bytes.Index(lines[i], []byte("*/")); col >= 0 {
			problems = append(problems, t.problem(place{i + 1, len([]rune(string(lines[i][:col]))) + 1},
				`inside double quotes write *\/ (YAML, JSON) or *\u002F (TOML)`,
				"*/ ends the JavaScript comment that the header stands in"))
		}
	}
	return problems
}

// misplaced finds a header that would be overlooked: one written with the
// fences of a .md file, indented, or after other comments. A file that only
// lacks a header has no problem here.
func misplaced(t *text, lines [][]byte, at int) []Problem {
	for _, s := range syntaxes {
		opening, closing := s.fences(true)
		if isFence(lines[at], s.fence) {
			return []Problem{t.problem(place{at + 1, 1}, fmt.Sprintf("open it with %s and close it with %s", opening, closing),
				"in a JavaScript file the header is a comment")}
		}
	}
	rest := joinLines(lines[at:])
	for offset := 0; ; {
		offset += len(rest[offset:]) - len(bytes.TrimLeft(rest[offset:], " \t\n"))
		here := rest[offset:]
		for _, s := range syntaxes {
			opening, _ := s.fences(true)
			if !bytes.HasPrefix(here, []byte(opening)) {
				continue // the rest of the line may be long, and is looked at once
			}
			if line, _, _ := bytes.Cut(here, []byte("\n")); isFence(line, opening) {
				row := bytes.Count(rest[:offset], []byte("\n"))
				col := len([]rune(string(rest[bytes.LastIndexByte(rest[:offset], '\n')+1:offset]))) + 1
				return []Problem{t.problem(place{at + row + 1, col}, "move it to the top, in column 1",
					"a header comes first in its file: only blank lines and a #! line stand before it")}
			}
		}
		end, width := -1, 0
		switch {
		case bytes.HasPrefix(here, []byte("//")):
			end, width = bytes.IndexByte(here, '\n'), 1
		case bytes.HasPrefix(here, []byte("/*")):
			end, width = bytes.Index(here[2:], []byte("*/")), 4
		}
		if end < 0 {
			return nil
		}
		offset += end + width
	}
}
