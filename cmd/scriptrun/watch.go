package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
	"github.com/scriptrun/scriptrun/scripttools/serve"
)

// watching is what --watch remembers. The zero value watches nothing.
type watching struct {
	watch   bool
	files   func() []string      // what a run depends on, besides script
	also    []string             // files that a run turned out to depend on, such as the script of a .md file
	seen    map[string]fileState // before the run
	outcome runtime.Outcome      // of the run; empty if its answer did not arrive
}

// fileState is zero for a file that is missing.
type fileState struct {
	size    int64
	changed time.Time
}

// watched runs a tool again and again.
func (f *runFlags) watched(e env, name string, once func(env) error) error {
	if f.input == "-" {
		return errors.New("--watch runs the tool many times, and stdin can be read once; give the inputs with --input @file")
	}
	f.files = func() []string { return f.toolFiles(name) }
	return f.again(e, once)
}

// again runs something, and again each time its files have changed, until Ctrl-C. A run
// that is under way ends first. Files that a script writes next to its own do not count.
func (f *watching) again(e env, once func(env) error) error {
	ctx, stop := e.interrupted()
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the wait
	e.interrupted = func() (context.Context, context.CancelFunc) { return context.WithCancel(ctx) }
	for {
		f.seen, f.outcome = f.look(), ""
		if err := once(e); f.outcome == "" {
			return err
		}
		if ctx.Err() == nil && e.terminal {
			fmt.Fprintf(e.stderr, "scriptrun: %s %s, runs again when a file changes; Ctrl-C ends\n", time.Now().Format(time.TimeOnly), f.outcome)
		}
		if f.await(ctx, e); ctx.Err() != nil {
			return exit(exitCancelled)
		}
	}
}

// await returns when a file differs from what the run saw.
func (f *watching) await(ctx context.Context, e env) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	check := func() {
		if !maps.Equal(f.look(), f.seen) {
			stop()
		}
	}
	serve.Watch(ctx, func() []string {
		check() // it may have changed while it ran
		var folders []string
		for path := range f.seen {
			folders = append(folders, filepath.Dir(path))
		}
		slices.Sort(folders)
		return slices.Compact(folders)
	}, check, func(err error) {
		fmt.Fprintf(e.stderr, "scriptrun: the system does not report changes of files; they are checked every second: %v\n", err)
	})
}

// toolFiles are the tool's file, or those of the tools directory if it is named: a
// broken one may be it, and each may declare a server.
func (f *runFlags) toolFiles(name string) []string {
	if isFile(name) {
		return filesOf([]string{name})
	}
	return filesOf([]string{f.toolsDir().Path})
}

// filesOf are files, and those in folders that may be tool files.
func filesOf(paths []string) (files []string) {
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && !info.IsDir() || err != nil && filepath.Ext(path) != "" {
			files = append(files, filepath.Clean(path))
			continue
		}
		files = append(files, filepath.Join(path, "…")) // so that an empty folder is watched too
		entries, _ := os.ReadDir(path)                  // the run says what cannot be read
		for _, entry := range entries {
			if scripttools.IsToolFile(entry.Name()) {
				files = append(files, filepath.Join(path, entry.Name()))
			}
		}
	}
	return files
}

// loaded remembers the script of the tool that runs.
func (f *watching) loaded(spec *scripttools.ScriptToolSpec) {
	if f.watch {
		f.depends(spec.Files()...)
	}
}

// depends remembers files that the run depends on.
func (f *watching) depends(paths ...string) {
	for _, path := range paths {
		path = filepath.Clean(filepath.FromSlash(path))
		if _, known := f.seen[path]; !known {
			f.also, f.seen[path] = append(f.also, path), stateOf(path)
		}
	}
}

// ended remembers how the run ended.
func (f *watching) ended(r *runtime.Report) { f.outcome = r.Outcome }

// look is how the files are now.
func (f *watching) look() map[string]fileState {
	found := map[string]fileState{}
	for _, path := range append(f.files(), f.also...) {
		found[path] = stateOf(path)
	}
	return found
}

func stateOf(path string) fileState {
	info, err := os.Stat(path)
	if err != nil {
		return fileState{}
	}
	return fileState{info.Size(), info.ModTime()}
}

// printLine writes one document as one line.
func printLine(w io.Writer, v any) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return err
	}
	out := text.Bytes()
	if _, ok := w.(*terminalWriter); ok {
		out = escaped(out)
	}
	_, err := w.Write(out)
	return err
}
