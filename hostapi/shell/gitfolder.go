package shell

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/scriptrun/scriptrun/hostapi/regular"
)

// gitFolder replaces a repository's common folder ($GIT_COMMON_DIR). It has the
// repository's objects and references, and a configuration of its own: the
// repository's names programs in some fifty places (filters, drivers, hooks,
// fsmonitor, gpg, pagers, aliases, includes), and more with each version of git. What
// is not there cannot be overlooked, or written there between a check and its use.
// The zero gitFolder is that of no repository.
//
//	config                    ours, with the repository's settings of format and tracking
//	objects                   a link to the repository's, without alternates
//	refs, packed-refs, …      links to the repository's
//	info/exclude              a link
type gitFolder struct {
	repo gitRepo
	path string
}

// newGitFolder makes one in a temporary folder.
func newGitFolder(temp string, repo gitRepo) (folder *gitFolder, err error) {
	path, err := os.MkdirTemp(temp, "git-")
	if err != nil {
		return nil, err
	}
	folder = &gitFolder{repo: repo, path: path}
	defer func() {
		if err != nil {
			folder.remove()
			folder, err = nil, fmt.Errorf("make a folder for git: %w", err)
		}
	}()
	if err := os.Mkdir(filepath.Join(path, "info"), 0o700); err != nil {
		return folder, err
	}
	for _, name := range []string{"refs", "logs", "reftable", "packed-refs", "shallow", "info/exclude"} {
		if err := folder.link(name); err != nil {
			return folder, err
		}
	}
	if err := folder.linkObjects(); err != nil {
		return folder, err
	}
	return folder, os.WriteFile(filepath.Join(path, "config"), folder.config(), 0o600)
}

// link links a file or folder of the repository, if it exists or if other commands of
// the line may make it. It skips symbolic links, which may lead out of the repository.
func (f *gitFolder) link(name string) error {
	target := filepath.Join(f.repo.common, name)
	info, err := os.Lstat(target)
	if coming := errors.Is(err, os.ErrNotExist) && name == "packed-refs"; !coming && (err != nil || !info.IsDir() && !info.Mode().IsRegular()) {
		return nil //nolint:nilerr // it is not there
	}
	return os.Symlink(target, filepath.Join(f.path, name))
}

// linkObjects links the objects: their folder, or, if it borrows objects of other
// repositories, its packs and loose objects without the list of those.
func (f *gitFolder) linkObjects() error {
	objects := filepath.Join(f.repo.common, "objects")
	if _, err := os.Lstat(filepath.Join(objects, "info", "alternates")); errors.Is(err, os.ErrNotExist) {
		return f.link("objects")
	}
	if err := os.Mkdir(filepath.Join(f.path, "objects"), 0o700); err != nil {
		return err
	}
	entries, err := os.ReadDir(objects)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if name := entry.Name(); name == "pack" || len(name) == 2 {
			if err := f.link(filepath.Join("objects", name)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *gitFolder) remove() { _ = os.RemoveAll(f.path) }

// gitForms are settings that git needs to read a repository's data, or to see that its
// files are unchanged. None names a program or a path.
var gitForms = []struct{ section, names string }{
	{"core", "repositoryformatversion filemode symlinks ignorecase precomposeunicode autocrlf eol safecrlf bigfilethreshold sparsecheckout sparsecheckoutcone protecthfs protectntfs"},
	{"extensions", "objectformat compatobjectformat refstorage noop preciousobjects"},
	{"index", "version sparse"},
}

// gitTracking are settings that say which remote branch a branch follows. They name
// references only; git does not connect to the remote for them.
var gitTracking = []struct{ section, names string }{
	{"branch", "remote merge"},
	{"remote", "fetch"},
}

// They are compiled at the first repository: most processes never look at one.
var (
	gitSetting    = onceCompiled(`^\s*([A-Za-z]+)\s*=\s*([A-Za-z0-9]{1,20})\s*$`)
	gitSubsection = onceCompiled(`^\[\s*([A-Za-z]+)\s+"([^"\\\x00-\x1f\x7f]+)"\s*\]$`)
	gitNamed      = onceCompiled(`^\s*([A-Za-z]+)\s*=\s*([^-\s"\\#;\x00-\x1f\x7f][^\s"\\#;\x00-\x1f\x7f]*)\s*$`)
)

func onceCompiled(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// config is the content of the folder's configuration file.
func (f *gitFolder) config() []byte {
	text := strings.Builder{}
	bare := f.repo.top == ""
	fmt.Fprintf(&text, "[core]\n\tbare = %v\n", bare)
	for _, file := range []string{filepath.Join(f.repo.common, "config"), filepath.Join(f.repo.dir, "config.worktree")} {
		given, err := regular.Read(file, maxGitFile)
		if err != nil {
			continue // its settings have defaults
		}
		section, subject := "", ""
		for line := range strings.Lines(string(given)) {
			line = strings.TrimRight(line, "\r\n")
			if name, ok := strings.CutPrefix(strings.TrimSpace(line), "["); ok {
				section, subject = strings.ToLower(strings.TrimSuffix(name, "]")), ""
				if match := gitSubsection().FindStringSubmatch(strings.TrimSpace(line)); match != nil {
					section, subject = strings.ToLower(match[1]), match[2]
				}
				continue
			}
			forms, setting, head := gitForms, gitSetting, section
			if subject != "" {
				forms, setting, head = gitTracking, gitNamed, section+` "`+subject+`"`
			}
			match := setting().FindStringSubmatch(line)
			for _, form := range forms {
				if match != nil && form.section == section && hasWord(form.names, strings.ToLower(match[1])) {
					fmt.Fprintf(&text, "[%s]\n\t%s = %s\n", head, match[1], match[2])
				}
			}
		}
	}
	return []byte(text.String())
}

func hasWord(words, word string) bool {
	for w := range strings.FieldsSeq(words) {
		if w == word {
			return true
		}
	}
	return false
}

// variables make git use the folder.
func (f *gitFolder) variables() map[string]string {
	set := map[string]string{
		"GIT_DIR": f.repo.dir, "GIT_COMMON_DIR": f.path,
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_SYSTEM": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_ATTR_NOSYSTEM": "1",
		"GIT_NO_REPLACE_OBJECTS": "1",
		"GIT_NO_LAZY_FETCH":      "1", "GIT_ALLOW_PROTOCOL": "none", "GIT_TERMINAL_PROMPT": "0",
		"GIT_OPTIONAL_LOCKS": "0", "GIT_PAGER": "cat", "GIT_EDITOR": "false", "GIT_SEQUENCE_EDITOR": "false", "GIT_ASKPASS": "false",
		"GIT_SSH_COMMAND": "false", "GIT_PROXY_COMMAND": "false",
	}
	if f.repo.top != "" {
		set["GIT_WORK_TREE"] = f.repo.top
	}
	if f.path == "" {
		set["GIT_DIR"], set["GIT_COMMON_DIR"] = os.DevNull, os.DevNull
	}
	return set
}

// settings make git use the folder, without any variable that others set for git.
func (f *gitFolder) settings(where ExecContext) *settings {
	s := &settings{set: f.variables()}
	for _, name := range slices.Sorted(maps.Keys(where.env)) {
		if _, ours := s.set[name]; !ours && strings.HasPrefix(name, "GIT_") {
			s.unset = append(s.unset, name)
		}
	}
	return s
}

// environment is where, with those settings.
func (f *gitFolder) environment(where ExecContext) ExecContext { return where.with(f.settings(where)) }
