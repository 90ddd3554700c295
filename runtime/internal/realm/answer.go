package realm

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// maxFlaw bounds the message of a flaw, in bytes: it can contain names of the source.
const maxFlaw = 1000

// maxFlaws is how many flaws of a source are told.
const maxFlaws = 10

// answer is the result of a check as a message.
func answer(c Checked, flaws []Flaw) wire.Checked {
	if len(flaws) == 0 && c.Map != "" {
		return wire.Checked{File: c.file, Entry: c.Entry, CommonJS: c.CommonJS, Strict: c.Strict, Lowered: c.Source, Map: c.Map, Files: c.Files, Warnings: answered(c.Warnings)}
	}
	if len(flaws) == 0 {
		return wire.Checked{File: c.file, Entry: c.Entry, CommonJS: c.CommonJS, Strict: c.Strict, Edits: c.edits, Warnings: answered(c.Warnings)}
	}
	return wire.Checked{Flaws: answered(flaws)}
}

func answered(flaws []Flaw) (out []wire.Flaw) {
	for _, f := range flaws {
		if len(f.Msg) > maxFlaw {
			f.Msg = strings.ToValidUTF8(f.Msg[:maxFlaw], "") + "…"
		}
		out = append(out, wire.Flaw{File: f.File, Line: f.Line, Col: f.Col, Msg: f.Msg})
	}
	return out
}

// Accept returns the program that an answer describes, or its flaws. The answer is not
// trusted: it can name another function of the source, or leave out that the source is
// strict, and its edits can only lower exports. Anything else is an error, and so is a file that
// is not among those that were given, by their paths.
func Accept(c wire.Check, a wire.Checked, given map[string]string) (Checked, []Flaw, error) {
	if len(a.Flaws) > 0 {
		if len(a.Flaws) > maxFlaws || a.Entry != "" || a.Lowered != "" || len(a.Edits) > 0 {
			return Checked{}, nil, errors.New("it has too many flaws, or flaws and a program")
		}
		flaws, err := acceptFlaws(c.Source, a.Flaws, given)
		return Checked{}, flaws, err
	}
	warnings, err := acceptFlaws(c.Source, a.Warnings, given)
	if err != nil || len(warnings) > maxWarnings {
		return Checked{}, nil, errors.New("its warnings are not about the source")
	}
	if a.Lowered != "" || a.Map != "" {
		return acceptLowered(c, a, warnings, given)
	}
	if c.Body && !a.File {
		if a.Entry != "run" || a.CommonJS || a.Strict || len(a.Edits) > 0 {
			return Checked{}, nil, errors.New("it describes a function body as a module")
		}
		return Checked{Source: bodyHead + c.Source + bodyTail, Entry: a.Entry, LineOffset: 1, Warnings: warnings}, nil, nil
	}
	if !isName(a.Entry) || a.Entry != defaultBinding && a.Entry != "run" && !strings.Contains(c.Source, a.Entry) {
		return Checked{}, nil, errors.New("its entry is not in the source")
	}
	lowered, err := apply(c.Source, a.Edits)
	if err != nil {
		return Checked{}, nil, err
	}
	return Checked{Source: lowered, Entry: a.Entry, CommonJS: a.CommonJS, Strict: a.Strict, Warnings: warnings, file: c.Body}, nil, nil
}

// acceptLowered takes the code of an answer. It cannot be compared with the source, and has no
// other rights than that.
func acceptLowered(c wire.Check, a wire.Checked, warnings []Flaw, given map[string]string) (Checked, []Flaw, error) {
	switch {
	case a.Lowered == "" || a.Map == "" || len(a.Lowered) > MaxLowered || len(a.Map) > MaxLowered:
		return Checked{}, nil, errors.New("its lowered source is incomplete, or too large")
	case len(a.Edits) > 0 || !isName(a.Entry):
		return Checked{}, nil, errors.New("its lowered source has no entry, or edits")
	case c.Body && !a.File && (a.Entry != "run" || a.CommonJS || a.Strict):
		return Checked{}, nil, errors.New("it describes a function body as a module")
	}
	for _, name := range a.Files {
		if _, ok := given[name]; !ok {
			return Checked{}, nil, errors.New("it has a file that was not given")
		}
	}
	out := Checked{Source: a.Lowered, Map: a.Map, Files: a.Files, Entry: a.Entry, CommonJS: a.CommonJS, Strict: a.Strict, Warnings: warnings, file: c.Body && a.File}
	if c.Body && !a.File {
		out.LineOffset = 1
	}
	return out, nil, nil
}

func acceptFlaws(src string, answered []wire.Flaw, given map[string]string) (flaws []Flaw, err error) {
	if len(answered) == 0 {
		return nil, nil
	}
	own := strings.Split(src, "\n")
	for _, f := range answered {
		lines := own
		if f.File != "" {
			lines = strings.Split(given[f.File], "\n")
		}
		if f.Line < 1 || f.Line > len(lines) || f.Col < 1 || f.Col > utf8.RuneCountInString(lines[f.Line-1])+1 ||
			f.Msg == "" || len(f.Msg) > maxFlaw+len("…") {
			return nil, errors.New("a flaw is not in the source")
		}
		flaws = append(flaws, Flaw{File: f.File, Line: f.Line, Col: f.Col, Msg: f.Msg})
	}
	return flaws, nil
}

// apply lowers exports with the edits of an answer.
func apply(src string, edits []wire.Edit) (string, error) {
	if len(edits) > maxExports {
		return "", fmt.Errorf("it has %d edits", len(edits))
	}
	var b strings.Builder
	from := 0
	for _, e := range edits {
		if e.At < from || e.At >= len(src) || e.Text == "" || len(e.Text) > len(src)-e.At {
			return "", errors.New("an edit is not in the source")
		}
		end := e.At + len(e.Text)
		if !isExport(src[e.At:end]) || !replaces(src[e.At:end], e.Text) || end < len(src) && inWord(src[end-1]) && inWord(src[end]) {
			return "", errors.New("an edit does not lower an export")
		}
		b.WriteString(src[from:e.At])
		b.WriteString(e.Text)
		from = end
	}
	b.WriteString(src[from:])
	return b.String(), nil
}

// replaces reports whether a text can replace an export: it keeps the line breaks and has
// only what an export is lowered to.
func replaces(export, text string) bool {
	for i := range len(export) {
		if c := text[i]; c >= 0x80 || (c == '\n' || c == '\r' || export[i] == '\n' || export[i] == '\r') && c != export[i] {
			return false
		}
	}
	return slices.Contains([]string{"", ";", "var " + defaultBinding + " =", "function " + defaultBinding, "async function " + defaultBinding},
		strings.Join(strings.Fields(text), " "))
}

// isExport reports whether a text is one of the forms that are lowered: export, export
// default, export default async function, or a whole export { … }.
func isExport(text string) bool {
	var words []string
	for text != "" {
		word, rest := token(text)
		if word != "" {
			words = append(words, word)
		}
		text = rest
	}
	if len(words) > 2 && words[1] == "{" {
		return words[0] == "export" && slices.Index(words, "}") == len(words)-1 &&
			!slices.ContainsFunc(words[2:len(words)-1], func(w string) bool { return w != "," && !isName(w) })
	}
	return slices.Contains([]string{"export", "export default", "export default function", "export default async function"}, strings.Join(words, " "))
}

// token cuts a word or a sign from a text; word is empty for space and comments.
func token(text string) (word, rest string) {
	if strings.HasPrefix(text, "//") {
		_, rest, _ := strings.Cut(text, "\n")
		return "", rest
	}
	if strings.HasPrefix(text, "/*") {
		_, rest, _ := strings.Cut(text[2:], "*/")
		return "", rest
	}
	n := 0
	for n < len(text) && inWord(text[n]) {
		n++
	}
	n = max(n, 1)
	return strings.TrimSpace(text[:n]), text[n:]
}

// isName reports whether a text is an identifier.
func isName(s string) bool {
	return s != "" && !('0' <= s[0] && s[0] <= '9') && strings.IndexFunc(s, func(r rune) bool { return r < 0x80 && !inWord(byte(r)) }) < 0
}
