package protect

import (
	"path/filepath"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/upward"
)

// Git makes further working folders, and submodules, of a repository. The file .git of
// one leads to a folder in the repository, and a file there leads back. Such a repository
// is found by the file .git, wherever it lies.

// treeLeads is the path from a further working folder's data to the rest of the repository.
const treeLeads = "../.."

// leadsUp reports whether a file commondir holds treeLeads. To git a blank is part of a name.
func leadsUp(commondir string) bool {
	text, ok := readSmall(commondir)
	return ok && trimmed(text) == treeLeads
}

// trimmed is the path that git reads from a file.
func trimmed(text string) string { return untilNUL(strings.TrimRight(text, "\r\n")) }

// knows reports whether a repository in a place that commands may write lists a file .git that
// leads to one of its folders.
func (h *home) knows(e *effort, file, to string) bool {
	near := false
	for _, top := range h.tops {
		rel := relTo(top, to)
		near = near || rel != "." && filepath.IsLocal(rel)
	}
	return near && (isTree(to) && leadsBack(e, to, file) || isModule(to) && worksIn(e, to, filepath.Dir(file)))
}

// isTree reports whether a folder holds a repository's data of a further working folder.
func isTree(dir string) bool {
	trees := filepath.Dir(dir)
	return filepath.Base(trees) == "worktrees" && ownFolder(filepath.Dir(trees)) && leadsUp(filepath.Join(dir, "commondir"))
}

// isModule reports whether a folder is the repository of another one's submodule, whose name
// may have slashes.
func isModule(dir string) bool {
	for at := range upward.From(filepath.Dir(dir)) {
		if filepath.Base(at) == "modules" && ownFolder(filepath.Dir(at)) {
			return ownFolder(dir)
		}
	}
	return false
}

func ownFolder(dir string) bool {
	return isRepository(func(name string) bool { return isThere(filepath.Join(dir, name)) })
}

// leadsBack reports whether the data of a working folder names its file .git.
func leadsBack(e *effort, tree, file string) bool {
	text, ok := readSmall(filepath.Join(tree, "gitdir"))
	if !ok {
		return false
	}
	back := trimmed(text)
	if !filepath.IsAbs(back) {
		back = tree + string(filepath.Separator) + back // not cleaned: the name before ".." may be a link
	}
	at, err := e.resolve(back)
	return err == nil && at == file
}

// worksIn reports whether a repository names a folder as its working folder.
func worksIn(e *effort, git, dir string) bool {
	config := filepath.Join(git, "config")
	text, ok := readSmall(config)
	if !ok {
		return false
	}
	for _, s := range settingsOf(text) {
		if !isWorktree(s) {
			continue
		}
		if at, err := e.resolve(worktreeOf(config, s.value)); err == nil && at == dir {
			return true
		}
	}
	return false
}
