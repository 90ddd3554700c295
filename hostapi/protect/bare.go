package protect

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A folder with these names in it is a repository to git, whatever it is called: with
// one on the way to where somebody stands, git runs by its configuration.

// isRepository reports whether git would take a folder for a repository's own.
func isRepository(has func(name string) bool) bool {
	return has("HEAD") && (has("commondir") || has("objects") && has("refs"))
}

// repositoryParts are what make a folder one, and what git runs by then.
var repositoryParts = slices.Concat([]string{"HEAD", "objects", "refs", "modules", "worktrees", resolutions}, gitParts, gitStates)

// inRepository is what protects part of a folder that is a repository's own, or
// would be with that part; ok is false for others.
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
