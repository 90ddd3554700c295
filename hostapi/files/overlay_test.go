package files

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
)

// overlay is a folder of a workspace that never changes: what is written lies apart.
type overlay struct {
	all          *layers
	rel          string
	upper, lower folder // either may be nil
}

type layers struct {
	written folder
	gone    map[string]bool // what was taken away of what lies below, by its path
}

func (o *overlay) close() {
	for _, d := range []folder{o.upper, o.lower} {
		if d != nil {
			d.close()
		}
	}
}

func (o *overlay) at(name string) string { return path.Join(o.rel, name) }

// seen calls do for the layer in which a name is.
func (o *overlay) seen(name string, do func(folder) error) error {
	err := fs.ErrNotExist
	if o.upper != nil {
		err = do(o.upper)
	}
	if errors.Is(err, fs.ErrNotExist) && o.lower != nil && !o.all.gone[o.at(name)] {
		err = do(o.lower)
	}
	return err
}

func (o *overlay) sub(name string) (folder, error) {
	next := &overlay{all: o.all, rel: o.at(name)}
	var up, low error = fs.ErrNotExist, fs.ErrNotExist
	if o.upper != nil {
		if next.upper, up = o.upper.sub(name); up != nil {
			next.upper = nil
		}
	}
	if o.lower != nil && !o.all.gone[next.rel] && errors.Is(up, fs.ErrNotExist) || up == nil && o.lower != nil && !o.all.gone[next.rel] {
		if next.lower, low = o.lower.sub(name); low != nil {
			next.lower = nil
		}
	}
	if up != nil && low != nil {
		return nil, low
	}
	return next, nil
}

func (o *overlay) beneath(string) (folder, bool, error) { return nil, false, nil }
func (o *overlay) sweep()                               {}

func (o *overlay) file(name string) (f *os.File, err error) {
	err = o.seen(name, func(d folder) error { f, err = d.file(name); return err })
	return f, err
}

func (o *overlay) lstat(name string) (at *info, err error) {
	err = o.seen(name, func(d folder) error { at, err = d.lstat(name); return err })
	return at, err
}

func (o *overlay) readlink(name string) (to string, err error) {
	err = o.seen(name, func(d folder) error { to, err = d.readlink(name); return err })
	return to, err
}

func (o *overlay) entries() (all []fs.DirEntry, err error) {
	for _, d := range []folder{o.upper, o.lower} {
		if d == nil {
			continue
		}
		list, err := d.entries()
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			known := slices.ContainsFunc(all, func(x fs.DirEntry) bool { return x.Name() == e.Name() })
			if !known && (d == o.upper || !o.all.gone[o.at(e.Name())]) {
				all = append(all, e)
			}
		}
	}
	sortByName(all)
	return all, nil
}

// above is the folder of what is written, made if it is not there.
func (o *overlay) above() (folder, error) {
	if o.upper != nil {
		return o.upper, nil
	}
	at, err := o.all.written.sub(".")
	if err != nil {
		return nil, err
	}
	for _, part := range strings.Split(o.rel, "/") {
		if err := at.mkdir(part, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		next, err := at.sub(part)
		at.close()
		if err != nil {
			return nil, err
		}
		at = next
	}
	o.upper = at
	return at, nil
}

func (o *overlay) put(ctx context.Context, name, content string, old *info, how drafting) error {
	up, err := o.above()
	if err != nil {
		return err
	}
	if _, err := up.lstat(name); err != nil {
		old = nil // it lies below
	}
	return up.put(ctx, name, content, old, how)
}

func (o *overlay) mkdir(name string, mode fs.FileMode) error {
	if _, err := o.lstat(name); err == nil {
		return fs.ErrExist
	}
	up, err := o.above()
	if err != nil {
		return err
	}
	return up.mkdir(name, mode)
}

func (o *overlay) take(name string, do func(folder, string) error) error {
	if _, err := o.lstat(name); err != nil {
		return err
	}
	if o.upper != nil {
		if err := do(o.upper, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	o.all.gone[o.at(name)] = true
	return nil
}

func (o *overlay) remove(name string) error { return o.take(name, folder.remove) }
func (o *overlay) rmdir(name string) error  { return o.take(name, folder.rmdir) }

func (o *overlay) rename(name string, source *info, to folder, newName string, replace bool) error {
	into, ok := to.(*overlay)
	at, err := o.lstat(name)
	switch {
	case err != nil:
		return err
	case !ok || !at.Mode().IsRegular():
		return syscall.EXDEV
	case !at.same(source):
		return errLink
	}
	old, err := into.lstat(newName)
	if err == nil && !replace {
		return fs.ErrExist
	}
	f, err := o.file(name)
	if err != nil {
		return err
	}
	defer f.Close()
	content, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	if err := into.put(context.Background(), newName, string(content), old, drafting{}); err != nil {
		return err
	}
	return o.remove(name)
}

// TestToolsWorkOverAnotherFileSystem: over an overlay each tool says what it says over the
// system's own, and what lies below stays as it was.
func TestToolsWorkOverAnotherFileSystem(t *testing.T) {
	t.Parallel()
	content := map[string]string{
		"a.txt": "one\ntwo\n", "src/b.go": "package b\n", "src/deep/c.go": "package c\n", "conf.json": `{"n":1}`, "conf.yaml": "n: 1\n",
		".gitignore": "*.log\n", "src/x.log": "two", "old/f": "f",
	}
	made := func() (*Workspace, string) {
		dir := t.TempDir()
		for name, text := range content {
			at := filepath.Join(dir, filepath.FromSlash(name))
			if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		w, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = w.Close() })
		return w, dir
	}
	plain, _ := made()
	over, below := made()
	written, err := openRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(written.close)
	own, err := written.sub(".")
	if err != nil {
		t.Fatal(err)
	}
	over.root = &overlay{all: &layers{written: written, gone: map[string]bool{}}, rel: ".", upper: own, lower: over.root}
	changing := regexp.MustCompile(`[0-9A-Z]{8}/|"modified":"[^"]*"|"mtime":"[^"]*"|\d{4}-\d\d-\d\d[T ][0-9:.]+Z?`)
	for _, c := range [][2]string{
		{"read", `{"file_path":"a.txt"}`}, {"edit", `{"file_path":"a.txt","old_string":"two","new_string":"three"}`}, {"read", `{"file_path":"a.txt"}`},
		{"write", `{"file_path":"src/new/d.go","content":"package d\n"}`}, {"write", `{"file_path":"src/b.go","content":"package bb\n"}`},
		{"glob", `{"pattern":"**/*.go"}`}, {"grep", `{"pattern":"package"}`}, {"search", `{"mode":"grep","pattern":"t.*e"}`}, {"ls", `{"path":"src"}`},
		{"json", `{"file_path":"conf.json"}`}, {"read", `{"file_path":"conf.json"}`},
		{"yaml", `{"file_path":"conf.yaml"}`}, {"read", `{"file_path":"conf.yaml"}`},
		{"move", `{"from":"src/deep/c.go","to":"moved/c.go"}`}, {"read", `{"file_path":"src/deep/c.go"}`}, {"move", `{"from":"a.txt","to":"src/b.go"}`},
		{"move", `{"from":"a.txt","to":"src/b.go","overwrite":true}`}, {"read", `{"file_path":"src/b.go"}`}, {"delete", `{"path":"old/f"}`}, {"ls", `{"path":"old"}`},
		{"write", `{"file_path":"old/f","content":"again"}`}, {"read", `{"file_path":"old/f"}`}, {"delete", `{"path":"src/new/d.go"}`}, {"ls", `{}`}, {"glob", `{"pattern":"**"}`},
	} {
		var said [2]string
		for i, w := range []*Workspace{plain, over} {
			for _, tool := range w.Tools() {
				if tool.Name() == c[0] {
					result, err := tool.Invoke(t.Context(), hostapi.Call{Tool: c[0], Args: json.RawMessage(c[1]), MaxResultBytes: 64 << 10})
					text, _ := json.Marshal(result)
					said[i] = changing.ReplaceAllString(string(text), "…")
					if err != nil {
						said[i] = changing.ReplaceAllString(err.Error(), "…")
					}
				}
			}
		}
		if said[0] != said[1] || said[0] == "" {
			t.Errorf("%s %s:\nplain %s\nover  %s", c[0], c[1], said[0], said[1])
		}
	}
	for name, text := range content {
		if now, err := os.ReadFile(filepath.Join(below, filepath.FromSlash(name))); err != nil || string(now) != text {
			t.Errorf("below, %s is %q, %v", name, now, err)
		}
	}
	if left, err := os.ReadDir(below); err != nil || len(left) != 6 {
		t.Errorf("below there is %v, %v", left, err)
	}
}
