package scripttools

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/scriptrun/scriptrun/runtime"
)

// Outside lists the files and folders outside of a directory that its tools are made of: the
// scripts that its .md files name, what these import, and the node_modules beside them if they
// import packages, installed or not; absolute. Some of them may not exist: an import without an extension may be
// one of several files. It runs nothing and parses no script; it finds what stands between
// quotes after import, from or require, also in comments; a package that only such lines name
// does not count.
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

// imported finds what a text may import.
var imported = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("\\b(?:from|import|require)\\s*\\(?\\s*[\"'`]([^\"'`\\\\\\n]+)[\"'`]")
})

// remark finds lines that are comments.
var remark = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^[ \t]*//.*$`) })

// madeOf is a script with all that it imports. What has more than may be imported is no tool.
func madeOf(script string) []string {
	folder, read := filepath.Dir(script), importFrom(filepath.ToSlash(script))
	paths, names := []string{script}, []string{filepath.Base(script)}
	files, left := runtime.MaxImports, runtime.MaxImportedBytes+runtime.MaxSourceBytes
	for i := 0; i < len(names) && len(names) < mostNames && files >= 0 && left > 0; i++ {
		text, err := read(names[i])
		if err != nil {
			continue
		}
		files, left = files-1, left-len(text)
		for _, found := range imported().FindAllSubmatch(remark().ReplaceAll(text, nil), -1) {
			// Also a package that is not installed: a command could make it.
			packages, name := filepath.Join(folder, "node_modules"), string(found[1])
			if !strings.HasPrefix(name, ".") && !runtime.Provides(name) && !slices.Contains(paths, packages) {
				paths = append(paths, packages)
			}
		}
		for _, found := range imported().FindAllSubmatch(text, -1) {
			name := string(found[1])
			if !strings.HasPrefix(name, ".") {
				continue
			}
			for _, name := range mayMean(path.Join(path.Dir(names[i]), name)) {
				at := filepath.Join(folder, filepath.FromSlash(name))
				if len(names) < mostNames && filepath.IsLocal(filepath.FromSlash(name)) && !slices.Contains(paths, at) {
					paths, names = append(paths, at), append(names, name)
				}
			}
		}
	}
	return paths
}

// mostNames is how many names of one script are looked at: more than it may import.
const mostNames = 8 * runtime.MaxImports

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
