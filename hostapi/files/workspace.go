package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/protect"
)

// Workspace is the directory that file tools see. It is safe for concurrent
// use.
type Workspace struct {
	// Outputs is shell.Tool's SpillDir: it has a folder of full outputs for each run. A
	// run can read its own by absolute path, whatever its rules. Empty means none. It must
	// not be changed once a tool is in use.
	Outputs string

	root folder
	real string // absolute, links followed

	protected protect.Paths
	guard     *protect.Guard // for what leads somewhere

	// writing serialises edits: each reads a file and then replaces it. Whoever
	// has put something in may write.
	writing chan struct{}

	shownIn string // how scripts name it; empty for paths relative to it

	walkOnly, named bool // for tests: as where the system has no openat2, or no files without names
}

// Open opens a directory as a workspace. Links in its path are followed now and
// never again. What a write that was killed left behind is removed. The caller
// must call [Workspace.Close].
//
// What package protect knows is not changed by its tools; [OpenProtecting] has a
// say in that.
func Open(dir string) (*Workspace, error) { return OpenProtecting(dir, protect.Paths{}) }

// OpenProtecting is Open, with more or less that is protected. What the host's environment names
// is added, as shell.Tool does for commands; see [protect.Paths.InEnvironment].
func OpenProtecting(dir string, protected protect.Paths) (*Workspace, error) {
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
	root, err := openRoot(resolved)
	if err != nil {
		return nil, err
	}
	root.sweep()
	protected = protected.InEnvironment(os.Environ(), resolved)
	return &Workspace{root: root, real: resolved, protected: protected, guard: protect.NewGuard(resolved, protected), writing: make(chan struct{}, 1)}, nil
}

// startWriting waits until nobody else writes, at most as long as ctx lasts. The
// caller calls done afterwards.
func (w *Workspace) startWriting(ctx context.Context) (done func(), err error) {
	select {
	case w.writing <- struct{}{}:
		return func() { <-w.writing }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Close releases the directory; its tools fail then.
func (w *Workspace) Close() error {
	w.root.close()
	return nil
}

// Tools returns the tools of the workspace.
func (w *Workspace) Tools() []hostapi.Tool {
	return []hostapi.Tool{
		&tool{w, readDef}, &tool{w, writeDef}, &tool{w, editDef}, &tool{w, lsDef},
		&granted{tool{w, globDef}, searchGrants}, &granted{tool{w, grepDef}, searchGrants}, &granted{tool{w, searchDef}, modeGrants},
		&tool{w, deleteDef}, &tool{w, moveDef}, &tool{w, jsonDef}, &tool{w, yamlDef},
	}
}

// plain is an error of the system as an author needs it: the path as given and
// the reason, without the call that failed.
func plain(given string, err error) error {
	var changed *changedError
	var about *aboutError
	if err == nil || errors.As(err, &changed) || errors.As(err, &about) {
		return err
	}
	var inner *fs.PathError
	for errors.As(err, &inner) {
		err = inner.Err
	}
	switch {
	case errors.Is(err, errLink):
		return &changedError{given}
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s does not exist", shown(given))
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s: permission denied", shown(given))
	case errors.Is(err, syscall.EXDEV):
		return fmt.Errorf("%s is on another file system than where it would go; write it there and delete it here", shown(given))
	case errors.Is(err, errDirectory), errors.Is(err, errIrregular):
		return &aboutError{path: given, err: err}
	}
	return fmt.Errorf("%s: %w", shown(given), err)
}
