package files

import (
	"bytes"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/git-pkgs/gitignore"
)

// ignores is what the .gitignore files from the workspace down to a folder say, the
// lower ones last: as in git, they have the last word. Nil says nothing.
type ignores struct {
	matcher gitignore.Matcher
	files   []ignoreFile
	// lines and bytes are how many there are so far.
	lines, bytes int
}

// ignoreFile is a .gitignore, and the folder that it is in.
type ignoreFile struct {
	text   []byte
	folder string
}

const (
	ignoreName = ".gitignore"
	// maxIgnore and maxIgnoreLines bound what is heeded of a .gitignore and those
	// above it together, in bytes and lines: each file of a walk is held against all
	// of them.
	maxIgnore      = 64 << 10
	maxIgnoreLines = 2000
)

// with adds the .gitignore of a folder, if it has one.
func (i *ignores) with(d folder, rel string, children []fs.DirEntry) *ignores {
	has := slices.ContainsFunc(children, func(c fs.DirEntry) bool { return c.Name() == ignoreName && c.Type().IsRegular() })
	if !has {
		return i
	}
	var above ignores
	if i != nil {
		above.files, above.lines, above.bytes = i.files, i.lines, i.bytes
	}
	text, _, err := readAll(d, ignoreName, path.Join(rel, ignoreName), int64(maxIgnore-above.bytes))
	if err != nil {
		return i
	}
	next := &ignores{lines: above.lines + bytes.Count(text, []byte("\n")) + 1, bytes: above.bytes + len(text)}
	if next.lines > maxIgnoreLines {
		return i
	}
	if rel == "." {
		rel = ""
	}
	next.files = append(slices.Clip(above.files), ignoreFile{text, rel})
	for _, f := range next.files {
		next.matcher.AddPatterns(f.text, f.folder)
	}
	return next
}

// ignored reports whether something below the workspace is passed over by a walk. What
// lies in a folder that is ignored is not asked about.
func (i *ignores) ignored(name string, folder bool) bool {
	return i != nil && i.matcher.MatchPath(name, folder)
}

// rulesAbove collects what the folders above a folder ignore.
func (w *Workspace) rulesAbove(rel string) (rules *ignores) {
	if rel == "." {
		return nil
	}
	folder := "."
	for part := range strings.SplitSeq(rel, "/") {
		if d, err := w.folder(folder); err == nil {
			if children, err := d.entries(); err == nil {
				rules = rules.with(d, folder, children)
			}
			d.close()
		}
		if folder = path.Join(folder, part); rules.ignored(folder, true) {
			rules = nil // it was named, and all that is in it would be ignored
		}
	}
	return rules
}
