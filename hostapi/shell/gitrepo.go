package shell

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/regular"
)

// gitRepo is where the parts of a repository are, absolute and with links
// followed.
type gitRepo struct {
	top    string // the folder that is worked in; empty for a bare repository
	dir    string // what is this working folder's own: HEAD, index
	common string // what all working folders share: objects, references
}

var errNoRepo = errors.New("there is no git repository here, nor in a folder above")

// findGitRepo looks for the repository of a folder as git does, and does not
// ask git: git would have read the configuration by then. It does not follow
// a .git that leads to a repository which does not know of it, and takes none
// that git may not be able to read.
func findGitRepo(cwd string) (repo gitRepo, err error) {
	if repo, err = locateGitRepo(cwd); err == nil {
		err = repo.checkForm()
	}
	return repo, err
}

func locateGitRepo(cwd string) (gitRepo, error) {
	for at := cwd; ; at = filepath.Dir(at) {
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
			return gitRepo{}, fmt.Errorf("%s is a link, or no file; only a folder, or a file that git wrote, is followed", name)
		case !errors.Is(err, os.ErrNotExist):
			return gitRepo{}, err
		}
		if holdsGit(at) {
			return gitRepo{dir: at, common: at}, nil
		}
		if at == filepath.Dir(at) {
			return gitRepo{}, errNoRepo
		}
	}
}

// holdsGit reports whether a folder is a repository's: what makes it one is its
// own, not links.
func holdsGit(dir string) bool {
	for _, name := range []string{"objects", "refs"} {
		if info, err := os.Lstat(filepath.Join(dir, name)); err != nil || !info.IsDir() {
			return false
		}
	}
	return holdsHead(dir)
}

// linkedGit is a working folder whose .git is a file: one of several of a
// repository, or a submodule.
func linkedGit(top, file string) (gitRepo, error) {
	dir, err := pathIn(file, "gitdir: ", top)
	if err != nil {
		return gitRepo{}, err
	}
	if common := filepath.Dir(filepath.Dir(dir)); filepath.Base(filepath.Dir(dir)) == "worktrees" && holdsGit(common) {
		// The repository names the folder too, so nobody put the file there who
		// could not write to the repository.
		back, err := pathIn(filepath.Join(dir, "gitdir"), "", dir)
		if err != nil {
			return gitRepo{}, err
		}
		if same, err := filepath.EvalSymlinks(file); err != nil || back != same {
			return gitRepo{}, fmt.Errorf("%s leads to %s, which is of another folder; see git worktree repair", file, dir)
		}
		if !holdsHead(dir) {
			return gitRepo{}, fmt.Errorf("%s leads to %s, whose HEAD is neither a reference nor an object", file, dir)
		}
		return gitRepo{top: top, dir: dir, common: common}, nil
	}
	// A submodule's is within the repository around it.
	for at := filepath.Dir(top); ; at = filepath.Dir(at) {
		around := filepath.Join(at, ".git")
		if info, err := os.Lstat(around); err == nil && info.IsDir() && holdsGit(around) {
			if beneath(dir, filepath.Join(around, "modules")) && holdsGit(dir) {
				return gitRepo{top: top, dir: dir, common: dir}, nil
			}
			break
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	return gitRepo{}, fmt.Errorf("%s leads to %s, which is neither a working folder's of a repository nor a submodule's; only these are followed", file, dir)
}

// pathIn is the path that a small file of git's holds, with links followed.
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

// maxGitFile is how much of a file of git's is read, in bytes.
const maxGitFile = 64 << 10
