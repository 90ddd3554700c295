package scripttools

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/scriptrun/scriptrun/hostapi/regular"
	"github.com/scriptrun/scriptrun/hostapi/upward"
	"github.com/scriptrun/scriptrun/runtime"
)

// importFrom reads what a script imports: regular files in its folder and below, which no
// symbolic link leads out of.
func importFrom(script string) func(path string) ([]byte, error) {
	return func(path string) ([]byte, error) {
		folder, err := realPath(filepath.Dir(filepath.FromSlash(script)))
		if err != nil {
			return nil, errors.New("the folder of the script cannot be opened")
		}
		root, err := os.OpenRoot(folder)
		if err != nil {
			return nil, errors.New("the folder of the script cannot be opened")
		}
		defer root.Close()
		name := filepath.FromSlash(path)
		most := int64(runtime.MaxSourceBytes)
		packaged := strings.HasPrefix(path, "node_modules/")
		if packaged {
			most = runtime.MaxPackageFileBytes
		}
		raw, err := regular.ReadIn(root, name, most)
		if err == nil && packaged && hasLink(root, name) {
			return nil, errors.New("it goes through a symbolic link, and a link could make any file a part of the package; install it without links (npm: --install-links; pnpm: node-linker=hoisted)")
		}
		if err == nil {
			return bytes.TrimPrefix(raw, byteOrderMark), nil
		}
		var shape *regular.ShapeError
		var failed *fs.PathError
		switch reach := linkReach(folder, name); {
		case errors.As(err, &shape):
			return nil, errors.New(shape.Reason())
		case reach == reachOutside:
			return nil, errors.New("a symbolic link leads out of the folder of the tool file")
		case reach == reachInside:
			return nil, errors.New("it goes through a symbolic link with an absolute target; make the link relative")
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
			return nil, &notThere{folder, path}
		case errors.As(err, &failed):
			return nil, errors.New("it cannot be read: " + failed.Err.Error())
		}
		return nil, errors.New("it cannot be read")
	}
}

// hasLink reports whether a file, or a folder on the way to it, is a symbolic link.
func hasLink(root *os.Root, name string) bool {
	for at := range upward.From(name) {
		if info, err := root.Lstat(at); err != nil || info.Mode()&fs.ModeSymlink != 0 {
			return true
		}
	}
	return false
}

// Files are those that the tool consists of: its own, its script, and what that imports, files of
// packages too.
func (s *ScriptToolSpec) Files() []string {
	files := []string{s.Path}
	if s.Source != s.Path {
		files = append(files, s.Source)
	}
	if s.Program != nil {
		for _, imported := range s.Program.Files() {
			files = append(files, filepath.ToSlash(filepath.Join(filepath.Dir(s.Source), filepath.FromSlash(imported))))
		}
	}
	return files
}

// acceptable asks whether a tool may be made of its files.
func (l *loader) acceptable(spec *ScriptToolSpec) {
	if file, err := l.from.accepts(spec); err != nil {
		if file == spec.Path {
			l.problems = append(l.problems, fileProblem(spec.Path, "", err, "%v", err))
			return
		}
		l.problems = append(l.problems, fileProblem(spec.Path, "", err, "it is made of %s: %v", quote(file), err))
	}
}

// Accepts asks Accept of each file of a tool, as loading the directory does: for a
// tool that [LoadFile] gave. The error names the first that is not accepted.
func (d Dir) Accepts(spec *ScriptToolSpec) error {
	l := &loader{from: d}
	l.acceptable(spec)
	return loadError(l.problems)
}

// accepts asks Accept of each file of a tool, and returns the first that it does not accept.
func (d Dir) accepts(spec *ScriptToolSpec) (file string, err error) {
	if d.Accept == nil {
		return "", nil
	}
	for _, file := range spec.Files() {
		at, err := filepath.Abs(filepath.FromSlash(file))
		if err != nil {
			return file, err
		}
		if err := d.Accept(at); err != nil {
			return file, err
		}
	}
	return "", nil
}

// digestWith is the Digest of a spec whose program imports files.
func digestWith(own string, imported []runtime.Imported) string {
	if len(imported) == 0 {
		return own
	}
	var lines strings.Builder
	lines.WriteString(own + "\n")
	for _, f := range imported {
		lines.WriteString(f.Digest + "  " + f.Path + "\n")
	}
	sum := sha256.Sum256([]byte(lines.String()))
	return hex.EncodeToString(sum[:])
}
