package scripttools

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/runtime"
)

// Outside lists the files and folders outside of a directory that its tools are made of: the
// scripts that its .md files name, what these import, and the node_modules beside them if they
// import packages, installed or not; absolute. Some of them may not exist: an import without an
// extension may be one of several files. It runs nothing and parses no script; it finds the
// strings after import, from or require, and between the parentheses after import and require, also in
// comments; a package that only lines of comments name does not count. For a script with more of
// them than it may import it lists the folder.
func Outside(dir Dir) (paths []string) {
	l := &loader{headersOnly: true, markdownOnly: true}
	_ = l.dir(dir) // what cannot be read is no tool
	folder, err := realPath(dir.Path)
	if err != nil || l.workspace == nil {
		return nil
	}
	seen := map[string]bool{}
	for _, h := range l.headers {
		script := filepath.Join(l.workspace.real, filepath.FromSlash(h.script))
		rel, err := filepath.Rel(folder, script)
		if h.script == "" || err == nil && filepath.IsLocal(rel) || seen[script] {
			continue // it lies in the directory
		}
		seen[script] = true
		paths = append(paths, madeOf(script)...)
	}
	if len(paths) > mostOutside {
		paths = nil
		for script := range seen {
			paths = append(paths, script, filepath.Dir(script))
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// mostOutside is how many paths Outside lists one by one; beyond that it lists the folders of
// the scripts.
const mostOutside = 4096

// madeOf is a script with all that it imports.
func madeOf(script string) []string {
	folder, read := filepath.Dir(script), importFrom(filepath.ToSlash(script))
	paths, left, steps := []string{script}, mostRead, mostSteps
	modules, seen := []string{filepath.Base(script)}, map[string]bool{script: true}
	add := func(at string) bool {
		known := seen[at]
		if !known {
			seen[at] = true
			paths = append(paths, at)
		}
		return !known
	}
	for i := 0; i < len(modules); i++ {
		text, err := read(modules[i])
		if err != nil {
			continue
		}
		all, ok := importNames(text, &steps)
		some, okToo := importNames(withoutRemarks(text), &steps)
		if left -= len(text); left < 0 || len(modules) > mostOutside || !ok || !okToo {
			return []string{script, folder}
		}
		for _, name := range some {
			if !strings.HasPrefix(name, ".") && !runtime.Provides(name) {
				add(filepath.Join(folder, "node_modules")) // also if it is not installed: a command could make it
			}
		}
		for _, name := range all {
			if !strings.HasPrefix(name, ".") {
				continue
			}
			for _, name := range mayMean(path.Join(path.Dir(modules[i]), name)) {
				if local := filepath.FromSlash(name); filepath.IsLocal(local) && add(filepath.Join(folder, local)) {
					modules = append(modules, name)
				}
			}
		}
	}
	return paths
}

const (
	// mostRead is how many bytes of one script's files are looked through: more than it may
	// import, also where each is there in two languages.
	mostRead = 4 * (runtime.MaxImportedBytes + runtime.MaxSourceBytes)
	// mostSteps is how many steps it takes to look behind the words of imports.
	mostSteps = 50_000
)

// mayMean are the files that an import may mean.
func mayMean(name string) []string {
	all := []string{name}
	switch ext := path.Ext(name); {
	case ext == ".js", ext == ".mjs":
		all = append(all, strings.TrimSuffix(name, "js")+"ts")
	case !isScript(name):
		for _, ext := range []string{".ts", ".js", ".mts", ".mjs", "/index.ts", "/index.js"} {
			all = append(all, name+ext)
		}
	}
	return all
}
