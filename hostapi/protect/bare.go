package protect

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// To git a folder with these names in it is a repository, whatever it is called: if one
// lies above the current folder, git obeys its configuration.

// isRepository reports whether git would take a folder for a repository's own.
func isRepository(has func(name string) bool) bool {
	return has("HEAD") && (has("commondir") || has("objects") && has("refs"))
}

// repositoryParts are the entries that make a folder a repository, and those by which git then
// runs.
var repositoryParts = slices.Concat([]string{"HEAD", "objects", "refs", "modules", "worktrees", resolutions}, gitParts, gitStates)

// inRepository says why a part of a repository's own folder is protected, also if that part
// would make the folder a repository; ok is false for other folders.
func inRepository(dir, part string) (by why, ok bool) {
	i := slices.IndexFunc(repositoryParts, func(name string) bool { return strings.EqualFold(name, part) })
	if i < 0 || !isRepository(func(name string) bool {
		return name == repositoryParts[i] || isThere(filepath.Join(dir, name))
	}) {
		return why{}, false
	}
	return ofGit(partOf([]string{repositoryParts[i]})), true
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
