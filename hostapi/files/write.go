package files

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
)

var writeDef = &definition{
	name:   "write",
	data:   "{bytes, created}",
	effect: hostapi.EffectWrite, paths: ofFile, do: write,
	summary: "Writes a file, whole or not at all; folders that are missing are made.",
	schema: `{"type":"object","required":["path","content"],"additionalProperties":false,"properties":{
		"path":{"type":"string","minLength":1,"description":"the file"},
		"content":{"type":"string","description":"all of its new text"}}}`,
}

func write(ctx context.Context, w *Workspace, args *plan) (hostapi.Result, error) {
	done, err := w.startChange(ctx, args)
	if err != nil {
		return hostapi.Result{}, err
	}
	defer done()
	at := args.at[0]
	before, err := w.writable(args)
	if err != nil {
		return hostapi.Result{}, err
	}
	created, err := w.replace(ctx, at, args.Content, before)
	if err != nil {
		return hostapi.Result{}, err
	}
	word := "wrote"
	if created {
		word = "created"
	}
	return hostapi.Succeed(fmt.Sprintf("%s %s, %d bytes", word, shown(at.rel), len(args.Content))).
		WithData(map[string]any{"bytes": len(args.Content), "created": created}), nil
}

// writable is what a write replaces, where a person has seen it: that, or nothing.
func (w *Workspace) writable(args *plan) (*present, error) {
	before, at := args.shownAt(0), args.at[0]
	if before == nil || !before.read {
		return before, nil
	}
	raw, now, err := w.readAll(at.rel, maxFile)
	if err != nil || !before.is(now, raw) {
		return nil, &changedError{at.given}
	}
	return &present{info: now}, nil
}

var editDef = &definition{
	name:   "edit",
	data:   "{replacements}",
	effect: hostapi.EffectWrite, paths: ofFile, do: edit,
	summary: "Replaces text in a file; the text must occur once, unless all occurrences are to be replaced.",
	schema: `{"type":"object","required":["path","old_string","new_string"],"additionalProperties":false,"properties":{
		"path":{"type":"string","minLength":1,"description":"the file"},
		"old_string":{"type":"string","minLength":1,"description":"the text to replace"},
		"new_string":{"type":"string","description":"the text to put there"},
		"replace_all":{"type":"boolean","description":"replace each occurrence, and not only one"}}}`,
}

func edit(ctx context.Context, w *Workspace, args *plan) (hostapi.Result, error) {
	done, err := w.startChange(ctx, args)
	if err != nil {
		return hostapi.Result{}, err
	}
	defer done()
	at := args.at[0]
	raw, before, err := w.readAll(at.rel, maxFile)
	if err != nil {
		return hostapi.Result{}, err
	}
	if !args.shownAt(0).is(before, raw) {
		return hostapi.Result{}, &changedError{at.given}
	}
	after, found, err := args.edited(string(raw))
	if err != nil {
		return hostapi.Result{}, fmt.Errorf("%w; nothing was written", err)
	}
	if _, err := w.replace(ctx, at, after, &present{info: before}); err != nil {
		return hostapi.Result{}, err
	}
	return hostapi.Succeed(fmt.Sprintf("replaced %d in %s", found, shown(at.rel))).WithData(map[string]any{"replacements": found}), nil
}

// edited is what an edit makes of a text, and how often it replaces something.
func (p *plan) edited(text string) (after string, found int, err error) {
	found = strings.Count(text, p.OldString)
	switch size := int64(len(text)) + int64(found)*int64(len(p.NewString)-len(p.OldString)); {
	case p.OldString == p.NewString:
		err = errors.New("old_string and new_string are the same")
	case found == 0:
		err = fmt.Errorf("old_string is not in %s%s", shown(p.Path), nearly(text, p.OldString))
	case found > 1 && !p.ReplaceAll:
		err = fmt.Errorf("old_string is %d times in %s, first in lines %s; take in more of what is around it, or set replace_all",
			found, shown(p.Path), firstLines(text, p.OldString))
	case size > maxFile:
		err = fmt.Errorf("%s would have %d bytes with %d replaced by %d bytes each; %d is the most",
			shown(p.Path), size, found, len(p.NewString), maxFile)
	default:
		after = strings.ReplaceAll(text, p.OldString, p.NewString)
	}
	return after, found, err
}

// nearly says why a part that somebody has read is not in a text as it stands; empty if nobody
// can tell.
func nearly(text, part string) string {
	const large = 1 << 20 // it takes several copies
	if len(text)+len(part) > large {
		return ""
	}
	plain := strings.ReplaceAll(text, "\r\n", "\n")
	words := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	switch sought := words(part); {
	case strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff"):
		return ", which is in UTF-16; only UTF-8 can be edited"
	case plain != text && strings.Contains(plain, part):
		return `, whose lines end with \r\n: write \r\n for each line end`
	case plain == text && strings.Contains(part, "\r\n") && strings.Contains(text, strings.ReplaceAll(part, "\r\n", "\n")):
		return `, whose lines end with \n alone`
	case sought != "" && strings.Contains(words(text), sought):
		return "; with other white space between the words it is: copy it from what read gives as text"
	}
	return ""
}

// firstLines lists the lines of the first few occurrences.
func firstLines(text, part string) string {
	var out []string
	for at := 0; len(out) < 5; {
		i := strings.Index(text[at:], part)
		if i < 0 {
			break
		}
		at += i
		out = append(out, fmt.Sprint(1+strings.Count(text[:at], "\n")))
		at += len(part)
	}
	return strings.Join(out, ", ")
}
