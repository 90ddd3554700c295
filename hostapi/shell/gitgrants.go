package shell

import (
	"os"
	"path/filepath"
	"slices"
)

// gitGrants adds what git needs to a sandbox whose workspace lies in a repository: it
// reads the whole working folder, and writes the repository's own folders. A repository
// of another user adds nothing, and neither does one whose folder is or holds a home.
func gitGrants(s *Sandbox, workspace string, granted grants) {
	repo, err := findGitRepo(workspace)
	if err != nil || repo.top == "" {
		return
	}
	home := granted.home
	if resolved, err := filepath.EvalSymlinks(home); err == nil {
		home = resolved
	}
	if repo.top != workspace {
		if repo.top == "/" || filepath.IsAbs(home) && beneath(home, repo.top) || !sameOwner(repo.top, workspace) {
			return
		}
		s.Read = append(slices.Clone(s.Read), repo.top)
	}
	for _, dir := range []string{repo.common, repo.dir} {
		switch {
		case beneath(dir, workspace) || !sameOwner(dir, workspace):
		case s.Profile == ProfileReadOnly:
			s.Read = append(slices.Clone(s.Read), dir)
		case !slices.ContainsFunc(s.Write, func(path string) bool { return beneath(dir, path) }):
			s.Write = append(slices.Clone(s.Write), dir)
			s.gitFolders = append(slices.Clone(s.gitFolders), dir)
			for _, name := range runByGit {
				if s.Protected.Excepts(".git/" + name) {
					continue
				}
				s.protect = append(slices.Clone(s.protect), filepath.Join(dir, name))
			}
		}
	}
}

// runByGit are parts of a repository that name programs, or other parts. Commands may
// not write them outside the workspace: the user's git would run what they name.
var runByGit = []string{"config", "config.worktree", "hooks", "info/attributes", "commondir", "gitdir", "modules"}

// sameOwner reports whether two files have the same owner.
func sameOwner(a, b string) bool {
	of, err := os.Lstat(a)
	if err != nil {
		return false
	}
	than, err := os.Lstat(b)
	return err == nil && owner(of) == owner(than)
}
