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

	"github.com/scriptrun/scriptrun/hostapi/regular"
)

// gitFolder stands in for what a repository's working folders share; the zero
// gitFolder is that of no repository. It has
// the repository's objects and references, and a configuration of its own:
// the repository's names programs in some fifty places (filters, drivers,
// hooks, fsmonitor, gpg, pagers, aliases, includes), and more with each
// version of git. What is not there cannot be overlooked, or written there
// between a look and its use.
//
//	config                    ours, with a few settings of form and of tracking that are the repository's
//	objects                   a link to the repository's; without alternates
//	refs, packed-refs, …      links to the repository's
//	info/exclude              a link
type gitFolder struct {
	repo gitRepo
	path string
}

// newGitFolder makes one in a folder for temporary files.
func newGitFolder(temp string, repo gitRepo) (folder *gitFolder, err error) {
	path, err := os.MkdirTemp(temp, "git-")
	if err != nil {
		return nil, err
	}
	folder = &gitFolder{repo: repo, path: path}
	defer func() {
		if err != nil {
			folder.remove()
			folder, err = nil, fmt.Errorf("a folder for git: %w", err)
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

// link takes a file or folder over from the repository, if it has one there or
// other commands of the line may make one. Links lead out of the repository;
// they are left.
func (f *gitFolder) link(name string) error {
	target := filepath.Join(f.repo.common, name)
	info, err := os.Lstat(target)
	if coming := errors.Is(err, os.ErrNotExist) && name == "packed-refs"; !coming && (err != nil || !info.IsDir() && !info.Mode().IsRegular()) {
		return nil //nolint:nilerr // it is not there
	}
	return os.Symlink(target, filepath.Join(f.path, name))
}

// linkObjects takes the objects over, as one folder where that borrows none of
// another repository, else without what says so.
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

// gitForms are the settings of a repository that git cannot read its data
// without, or would take its files for changed. None names a program or a path.
var gitForms = []struct{ section, names string }{
	{"core", "repositoryformatversion filemode symlinks ignorecase precomposeunicode autocrlf eol safecrlf bigfilethreshold sparsecheckout sparsecheckoutcone protecthfs protectntfs"},
	{"extensions", "objectformat compatobjectformat refstorage noop preciousobjects"},
	{"index", "version sparse"},
}

// gitTracking are those that say which branch of another repository one of
// this follows. They name references; what is read does not go there.
var gitTracking = []struct{ section, names string }{
	{"branch", "remote merge"},
	{"remote", "fetch"},
}

var (
	gitSetting    = regexp.MustCompile(`^\s*([A-Za-z]+)\s*=\s*([A-Za-z0-9]{1,20})\s*$`)
	gitSubsection = regexp.MustCompile(`^\[\s*([A-Za-z]+)\s+"([^"\\\x00-\x1f\x7f]+)"\s*\]$`)
	gitNamed      = regexp.MustCompile(`^\s*([A-Za-z]+)\s*=\s*([^-\s"\\#;\x00-\x1f\x7f][^\s"\\#;\x00-\x1f\x7f]*)\s*$`)
)

// config is the configuration of the folder.
func (f *gitFolder) config() []byte {
	text := strings.Builder{}
	bare := f.repo.top == ""
	fmt.Fprintf(&text, "[core]\n\tbare = %v\n", bare)
	for _, file := range []string{filepath.Join(f.repo.common, "config"), filepath.Join(f.repo.dir, "config.worktree")} {
		given, err := regular.Read(file, maxGitFile)
		if err != nil {
			continue // what it would say has a default
		}
		section, subject := "", ""
		for line := range strings.Lines(string(given)) {
			line = strings.TrimRight(line, "\r\n")
			if name, ok := strings.CutPrefix(strings.TrimSpace(line), "["); ok {
				section, subject = strings.ToLower(strings.TrimSuffix(name, "]")), ""
				if match := gitSubsection.FindStringSubmatch(strings.TrimSpace(line)); match != nil {
					section, subject = strings.ToLower(match[1]), match[2]
				}
				continue
			}
			forms, setting, head := gitForms, gitSetting, section
			if subject != "" {
				forms, setting, head = gitTracking, gitNamed, section+` "`+subject+`"`
			}
			match := setting.FindStringSubmatch(line)
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

// variables are the environment that has git use the folder: all of git's own
// variables are set or taken out, whoever set them.
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

// settings have git use the folder, and nothing that was set for git by others.
func (f *gitFolder) settings(where ExecContext) *settings {
	s := &settings{set: f.variables()}
	for _, name := range slices.Sorted(maps.Keys(where.env)) {
		if _, ours := s.set[name]; !ours && strings.HasPrefix(name, "GIT_") {
			s.unset = append(s.unset, name)
		}
	}
	return s
}

// environment is where git runs.
func (f *gitFolder) environment(where ExecContext) ExecContext { return where.with(f.settings(where)) }
