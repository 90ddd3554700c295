package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/scriptrun/scriptrun/hostapi"
)

// Workspace is the directory that file tools see. It is safe for concurrent
// use.
type Workspace struct {
	root *os.Root
	real string // absolute, links followed

	// writing serialises edits: each reads a file and then replaces it.
	writing sync.Mutex
}

// Open opens a directory as a workspace. The caller must call
// [Workspace.Close].
func Open(dir string) (*Workspace, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	resolved, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(resolved)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a directory", dir)
	}
	root, err := os.OpenRoot(resolved)
	if err != nil {
		return nil, err
	}
	return &Workspace{root: root, real: resolved}, nil
}

// Close releases the directory; its tools fail then.
func (w *Workspace) Close() error { return w.root.Close() }

// Tools returns the tools of the workspace.
func (w *Workspace) Tools() []hostapi.Tool {
	return []hostapi.Tool{
		&tool{w, readDef}, &tool{w, writeDef}, &tool{w, editDef}, &tool{w, lsDef},
		&granted{tool{w, globDef}, searchGrants}, &granted{tool{w, grepDef}, searchGrants}, &granted{tool{w, searchDef}, modeGrants},
		&tool{w, deleteDef}, &tool{w, moveDef}, &tool{w, jsonDef}, &tool{w, yamlDef},
	}
}

// errOutside is a path that leads out of the workspace.
type errOutside struct{ path string }

func (e *errOutside) Error() string {
	return fmt.Sprintf("%s is outside the workspace; name a path within it", e.path)
}

// maxLinks is how many symbolic links one path may go through.
const maxLinks = 40

// resolve turns a path as given into the path below the workspace that it
// leads to, with slashes and with links followed. What does not exist resolves
// to itself.
func (w *Workspace) resolve(given string) (string, error) {
	rel, err := w.relative(given)
	if err != nil {
		return "", err
	}
	rest := strings.Split(rel, "/")
	done := "."
	for links := 0; len(rest) > 0; {
		next := path.Join(done, rest[0])
		info, err := w.root.Lstat(filepath.FromSlash(next))
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return "", plain(given, err)
			}
			done, rest = next, rest[1:]
			continue
		}
		if links++; links > maxLinks {
			return "", fmt.Errorf("%s goes through more than %d symbolic links", given, maxLinks)
		}
		target, err := w.root.Readlink(filepath.FromSlash(next))
		if err != nil {
			return "", plain(given, err)
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(w.real, filepath.FromSlash(done), target)
		}
		if target, err = w.relative(target); err != nil {
			return "", &errOutside{given}
		}
		rest = append(strings.Split(target, "/"), rest[1:]...)
		done = "."
	}
	return done, nil
}

// relative is a path below the workspace with slashes, cleaned as text.
func (w *Workspace) relative(given string) (string, error) {
	if strings.ContainsRune(given, 0) {
		return "", errors.New("a path holds no NUL byte")
	}
	local := filepath.FromSlash(given)
	if filepath.IsAbs(local) {
		rel, err := filepath.Rel(w.real, local)
		if err != nil {
			return "", &errOutside{given}
		}
		local = rel
	}
	local = filepath.Clean(local)
	if !filepath.IsLocal(local) {
		return "", &errOutside{given}
	}
	return filepath.ToSlash(local), nil
}

// plain is an error of the system as an author needs it: the path as given and
// the reason, without the call that failed.
func plain(given string, err error) error {
	var inner *fs.PathError
	if errors.As(err, &inner) {
		err = inner.Err
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s does not exist", given)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s: permission denied", given)
	}
	return fmt.Errorf("%s: %w", given, err)
}
