package files

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi"
)

var writeDef = &definition{
	name: "write", effect: hostapi.EffectWrite, subject: ofFile, do: write,
	summary: "Writes a file, whole or not at all; folders that are missing are made.",
	schema: `{"type":"object","required":["file_path","content"],"additionalProperties":false,"properties":{
		"file_path":{"type":"string","minLength":1},"content":{"type":"string"}}}`,
}

func write(ctx context.Context, w *Workspace, args arguments) (hostapi.Result, error) {
	w.writing.Lock()
	defer w.writing.Unlock()
	rel, err := w.resolve(args.FilePath)
	if err != nil {
		return hostapi.Result{}, err
	}
	created, err := w.replace(ctx, rel, args.Content)
	if err != nil {
		return hostapi.Result{}, err
	}
	word := "wrote"
	if created {
		word = "created"
	}
	return hostapi.Succeed(fmt.Sprintf("%s %s, %d bytes", word, rel, len(args.Content))).
		WithData(map[string]any{"bytes": len(args.Content), "created": created}), nil
}

var editDef = &definition{
	name: "edit", effect: hostapi.EffectWrite, subject: ofFile, do: edit,
	summary: "Replaces text in a file; the text must occur once, unless all occurrences are to be replaced.",
	schema: `{"type":"object","required":["file_path","old_string","new_string"],"additionalProperties":false,"properties":{
		"file_path":{"type":"string","minLength":1},"old_string":{"type":"string","minLength":1},
		"new_string":{"type":"string"},"replace_all":{"type":"boolean"}}}`,
}

func edit(ctx context.Context, w *Workspace, args arguments) (hostapi.Result, error) {
	w.writing.Lock()
	defer w.writing.Unlock()
	rel, err := w.resolve(args.FilePath)
	if err != nil {
		return hostapi.Result{}, err
	}
	raw, err := w.readAll(rel, maxFile)
	if err != nil {
		return hostapi.Result{}, err
	}
	text := string(raw)
	found := strings.Count(text, args.OldString)
	switch {
	case args.OldString == args.NewString:
		return hostapi.Result{}, errors.New("old_string and new_string are the same; nothing was written")
	case found == 0:
		return hostapi.Result{}, fmt.Errorf("old_string is not in %s; nothing was written", args.FilePath)
	case found > 1 && !args.ReplaceAll:
		return hostapi.Result{}, fmt.Errorf("old_string is %d times in %s, first in lines %s; nothing was written; take in more of what is around it, or set replace_all",
			found, args.FilePath, firstLines(text, args.OldString))
	}
	if _, err := w.replace(ctx, rel, strings.ReplaceAll(text, args.OldString, args.NewString)); err != nil {
		return hostapi.Result{}, err
	}
	return hostapi.Succeed(fmt.Sprintf("replaced %d in %s", found, rel)).WithData(map[string]any{"replacements": found}), nil
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

// replace puts content in place of a file, or makes one: it writes beside it
// and renames, so that nobody sees half of it.
func (w *Workspace) replace(ctx context.Context, rel, content string) (created bool, err error) {
	name := filepath.FromSlash(rel)
	mode := fs.FileMode(0o644)
	info, err := w.root.Lstat(name)
	switch {
	case err == nil && info.IsDir():
		return false, fmt.Errorf("%s %w", rel, errDirectory)
	case err == nil && !info.Mode().IsRegular():
		return false, fmt.Errorf("%s %w", rel, errIrregular)
	case err == nil:
		mode = info.Mode().Perm()
	case errors.Is(err, fs.ErrNotExist):
		created = true
		if dir := path.Dir(rel); dir != "." {
			if err := w.root.MkdirAll(filepath.FromSlash(dir), 0o755); err != nil {
				return false, plain(dir, err)
			}
		}
	default:
		return false, plain(rel, err)
	}
	beside := filepath.Join(filepath.Dir(name), ".scriptrun-"+rand.Text()[:12])
	if err := w.create(beside, content, mode, created); err != nil {
		_ = w.root.Remove(beside)
		return false, plain(rel, err)
	}
	if err := ctx.Err(); err != nil { // the last moment to change nothing
		_ = w.root.Remove(beside)
		return false, err
	}
	if err := w.root.Rename(beside, name); err != nil {
		_ = w.root.Remove(beside)
		return false, plain(rel, err)
	}
	return created, nil
}

// create writes a file that is not there. One that will take another's place
// gets its mode, a new one what the umask leaves.
func (w *Workspace) create(name, content string, mode fs.FileMode, created bool) error {
	f, err := w.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	if err == nil && !created {
		err = f.Chmod(mode)
	}
	return errors.Join(err, f.Close())
}
