package shell

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/regular"
	"github.com/scriptrun/scriptrun/hostapi/upward"
)

// gitRepo is the folders of a repository, absolute and with links followed.
type gitRepo struct {
	top    string // the working folder; empty for a bare repository
	dir    string // this working folder's own part: HEAD, index
	common string // the part that all working folders share: objects, references
}

var errNoRepo = errors.New("no git repository in this folder or above it")

// findGitRepo finds the repository of a folder as git does. It does not ask git, which
// would read the configuration. It refuses a .git that leads to a repository which does
// not name it back, and a repository that git may be unable to read.
func findGitRepo(cwd string) (repo gitRepo, err error) {
	if repo, err = locateGitRepo(cwd); err == nil {
		err = repo.checkForm()
	}
	return repo, err
}

func locateGitRepo(cwd string) (gitRepo, error) {
	for at := range upward.From(cwd) {
		name := filepath.Join(at, ".git")
		info, err := os.Lstat(name)
		switch {
		case err == nil && info.IsDir():
			if holdsGit(name) {
				return gitRepo{top: at, dir: name, common: name}, nil
			}
		case err == nil && info.Mode().IsRegular():
			return linkedGit(at, name)
		case err == nil:
			return gitRepo{}, fmt.Errorf("%s is a link or a special file; expected a folder, or a file that git wrote", name)
		case !errors.Is(err, os.ErrNotExist):
			return gitRepo{}, err
		}
		if holdsGit(at) {
			return gitRepo{dir: at, common: at}, nil
		}
	}
	return gitRepo{}, errNoRepo
}

// holdsGit reports whether a folder is a repository, by its own files and no links.
func holdsGit(dir string) bool {
	for _, name := range []string{"objects", "refs"} {
		if info, err := os.Lstat(filepath.Join(dir, name)); err != nil || !info.IsDir() {
			return false
		}
	}
	return holdsHead(dir)
}

// linkedGit is a working folder whose .git is a file: a worktree or a submodule.
func linkedGit(top, file string) (gitRepo, error) {
	dir, err := pathIn(file, "gitdir: ", top)
	if err != nil {
		return gitRepo{}, err
	}
	if common := filepath.Dir(filepath.Dir(dir)); filepath.Base(filepath.Dir(dir)) == "worktrees" && holdsGit(common) {
		// The repository names the folder back, so whoever wrote the file could write to
		// the repository.
		back, err := pathIn(filepath.Join(dir, "gitdir"), "", dir)
		if err != nil {
			return gitRepo{}, err
		}
		if same, err := filepath.EvalSymlinks(file); err != nil || back != same {
			return gitRepo{}, fmt.Errorf("%s leads to %s, which belongs to another folder; see git worktree repair", file, dir)
		}
		if !holdsHead(dir) {
			return gitRepo{}, fmt.Errorf("%s leads to %s, whose HEAD is neither a reference nor an object", file, dir)
		}
		return gitRepo{top: top, dir: dir, common: common}, nil
	}
	// A submodule's folder is within the repository around it.
	for at := range upward.From(filepath.Dir(top)) {
		around := filepath.Join(at, ".git")
		if info, err := os.Lstat(around); err == nil && info.IsDir() && holdsGit(around) {
			if beneath(dir, filepath.Join(around, "modules")) && holdsGit(dir) {
				return gitRepo{top: top, dir: dir, common: dir}, nil
			}
			break
		}
	}
	return gitRepo{}, fmt.Errorf("%s leads to %s; expected the folder of a worktree or of a submodule", file, dir)
}

// pathIn is the path in a small file of git's, with links followed.
func pathIn(file, prefix, base string) (string, error) {
	text, err := regular.Read(file, maxGitFile)
	if err != nil {
		return "", err
	}
	path, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), prefix)
	if !ok || path == "" || strings.ContainsAny(path, "\x00\n") {
		return "", fmt.Errorf("%s is not as git writes it", file)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(base, path)
	}
	return filepath.EvalSymlinks(path)
}

// maxGitFile is how large a file of git's may be, in bytes.
const maxGitFile = 64 << 10
