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
	script  string               // of the tool that ran, if it is not in the tool file
	seen    map[string]fileState // before the run
	outcome runtime.Outcome      // of the run; empty if its answer did not arrive
}

// fileState is zero for a file that is missing.
type fileState struct {
	size    int64
	changed time.Time
}

// again runs a tool, and again each time its files have changed, until Ctrl-C. A run
// that is under way ends first. Files that a script writes next to its own do not count.
func (f *runFlags) again(e env, name string, once func(env) error) error {
	if f.input == "-" {
		return errors.New("--watch runs the tool many times, and stdin can be read once; give the inputs with --input @file")
	}
	f.files = func() []string { return f.toolFiles(name) }
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
func (f *runFlags) await(ctx context.Context, e env) {
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
		return []string{filepath.Clean(name)}
	}
	dir := f.toolsDir().Path
	files := []string{filepath.Join(dir, "…")} // so that an empty folder is watched too
	entries, _ := os.ReadDir(dir)              // the run says what cannot be read
	for _, entry := range entries {
		if slices.Contains([]string{".js", ".mjs", ".md"}, filepath.Ext(entry.Name())) {
			files = append(files, filepath.Join(dir, entry.Name()))
		}
	}
	return files
}

// loaded remembers the script of the tool that runs.
func (w *watching) loaded(spec *scripttools.ScriptToolSpec) {
	script := filepath.Clean(filepath.FromSlash(spec.Source))
	if !w.watch || spec.Source == spec.Path || script == w.script {
		return
	}
	delete(w.seen, w.script)
	w.script, w.seen[script] = script, stateOf(script)
}

// ended remembers how the run ended.
func (w *watching) ended(r *runtime.Report) { w.outcome = r.Outcome }

// look is how the files are now.
func (w *watching) look() map[string]fileState {
	found := map[string]fileState{}
	for _, path := range w.files() {
		found[path] = stateOf(path)
	}
	if w.script != "" {
		found[w.script] = stateOf(w.script)
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
