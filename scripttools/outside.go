package scripttools

import (
	"os"
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
// strings behind import, from or require, also between the parentheses behind import and require, and in
// comments; a package that only lines of comments name does not count. It misses what is written in
// other ways, and what is beyond any bound of a script, so that [Dir.Accept] must be asked of what a
// tool is really made of.
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
	slices.Sort(paths)
	return slices.Compact(paths)
}

const (
	// mostOutside is how many paths Outside lists of one script with those that do not exist.
	mostOutside = 512
	// mostNames is how many imports of one script are looked at: more than it may have, also where
	// each is there in two languages.
	mostNames = 2 * runtime.MaxImports
	// mostRead is how many bytes of its files are looked through.
	mostRead = 2 * (runtime.MaxImportedBytes + runtime.MaxSourceBytes)
	// mostSteps is how many steps it takes to look behind the words of imports.
	mostSteps = 50_000
)

// madeOf is a script with what it imports.
func madeOf(script string) []string {
	folder, read := filepath.Dir(script), importFrom(filepath.ToSlash(script))
	there, missing := []string{script}, []string(nil)
	left, steps, packages := mostRead, mostSteps, false
	modules, seen := []string{filepath.Base(script)}, map[string]bool{script: true}
	for i := 0; i < len(modules) && i < mostNames && left > 0; i++ {
		text, err := read(modules[i])
		if err != nil {
			continue
		}
		left -= len(text)
		for _, name := range importNames(withoutRemarks(text), &steps, mostNames) {
			packages = packages || !strings.HasPrefix(name, ".") && !runtime.Provides(name)
		}
		for _, name := range importNames(text, &steps, mostNames) {
			if !strings.HasPrefix(name, ".") {
				continue
			}
			for _, name := range mayMean(path.Join(path.Dir(modules[i]), name)) {
				at := filepath.Join(folder, filepath.FromSlash(name))
				if !filepath.IsLocal(filepath.FromSlash(name)) || seen[at] || len(seen) > mostSteps {
					continue
				}
				seen[at] = true
				if _, err := os.Lstat(at); err != nil {
					missing = append(missing, at)
				} else {
					there, modules = append(there, at), append(modules, name)
				}
			}
		}
	}
	if packages {
		there = append(there, filepath.Join(folder, "node_modules")) // also if it is not installed: a command could make it
	}
	// A command could make them too; a tool of what came so is not accepted.
	return append(there, missing[:max(0, min(len(missing), mostOutside-len(there)))]...)
}

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
