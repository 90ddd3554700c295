package protect

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/regular"
)

// The bounds on what is followed: hooks of one repository, of which git has some
// thirty, files that configurations include, and the bytes of one.
const (
	mostHooks    = 128
	deepIncludes = 10
	maxConfig    = 1 << 20
)

// harmlessFiles are settings that name files and folders from which git runs nothing.
var harmlessFiles = map[string]string{
	"safe": "directory barerepository", "maintenance": "repo", "scalar": "repo", "gui": "recentrepo", "format": "outputdirectory",
	"core": "excludesfile", "blame": "ignorerevsfile", "commit": "template", "http": "cookiefile sslcert sslkey sslcainfo sslcapath",
}

// leads follows the hooks and settings of a repository. top is its working folder, if it is
// known.
func (l *look) leads(git, top string) {
	l.linksIn(filepath.Join(git, "hooks"), ofGit("hooks"))
	l.followFrom(git, top)
}

// followFrom follows all configurations that count for a repository and a working folder.
func (l *look) followFrom(git, top string) {
	l.follow(git, top, append(l.userConfigs(cmp.Or(top, l.workspace)), filepath.Join(git, "config"), filepath.Join(git, "config.worktree"))...)
}

// follow follows configurations, of a repository or of none.
func (l *look) follow(git, top string, files ...string) {
	if l.paths.Excepts(gitFolder + "/config") {
		return
	}
	for _, file := range files {
		l.config(file, git, top, deepIncludes)
	}
}

// userConfigs are the configurations that count in all repositories. Git looks for those with
// a relative name in the folder where it runs, which is here the base.
func (l *look) userConfigs(base string) []string {
	files := []string{"/etc/gitconfig"}
	if home, err := os.UserHomeDir(); err == nil {
		files = append(files, filepath.Join(home, ".gitconfig"), filepath.Join(home, ".config", "git", "config"))
	}
	for folder, parts := range l.paths.Elsewhere {
		if !filepath.IsAbs(folder) {
			folder = filepath.Join(base, folder)
		}
		for _, part := range parts {
			for _, name := range []string{".gitconfig", ".config/git/config"} {
				if below, ok := cutPart(name, part); ok {
					files = append(files, filepath.Join(folder, below))
				}
			}
		}
	}
	return files
}

// config follows a configuration. It ignores the conditions of includes: they may become true
// later.
func (l *look) config(file, git, top string, deep int) {
	key := file + "\x00" + git + "\x00" + top
	if deep <= l.configs[key] || !l.effort.step(file) {
		return
	}
	l.configs[key] = deep
	if to, _, err := l.walk(file, func(hop) {}); err == nil {
		l.stamp(to)
	}
	text, err := regular.Read(file, maxConfig)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) && l.inside(file) {
			l.unclear[file] = err
		}
		return
	}
	for _, s := range settingsOf(string(text)) {
		l.setting(s, origins{file, git, top, deep})
	}
}

// origins says in which file a setting stands, and for which repository.
type origins struct {
	file, git, top string
	deep           int
}

// folderSettings name folders: git runs hooks in them, copies them into new repositories, or
// loads modules from them.
var folderSettings = map[string]string{"core": "hookspath", "init": "templatedir", "instaweb": "modulepath"}

// setting follows one setting.
func (l *look) setting(s setting, from origins) {
	switch {
	case s.name == "path" && (s.section == "include" || s.section == "includeif"):
		if path := pathOf(s.value, from.file[:max(strings.LastIndexByte(from.file, filepath.Separator), 0)]); path != "" {
			l.lead(path, ofGit("config"), from.file, notGit)
			l.config(path, from.git, from.top, from.deep-1) // its own includes count from its name, not from a link's target
		}
	case hasWord(folderSettings[s.section], s.name):
		l.hooksAt(s, from)
	case isWorktree(s) && filepath.Dir(from.file) == from.git:
		l.worktree(from.file, s.value)
		if top := worktreeOf(from.file, s.value); top != from.top { // what is relative counts from there
			l.followFrom(from.git, top)
		}
	case !harmlessSetting(s.section, s.sub, s.name, s.value) && !hasWord(harmlessFiles[s.section], s.name):
		l.words(s, from)
	}
}

// hookNames are the programs in a folder of hooks that git runs.
const hookNames = `applypatch-msg commit-msg fsmonitor-watchman p4-changelist p4-post-changelist p4-pre-submit
	p4-prepare-changelist post-applypatch post-checkout post-commit post-index-change post-merge post-receive post-rewrite
	post-update pre-applypatch pre-auto-gc pre-commit pre-merge-commit pre-push pre-rebase pre-receive prepare-commit-msg
	proc-receive push-to-checkout reference-transaction sendemail-validate update`

// hooksAt follows a folder from which git runs hooks.
func (l *look) hooksAt(s setting, from origins) {
	if l.paths.Excepts(gitFolder + "/hooks") {
		return
	}
	for _, base := range []string{from.top, from.git} {
		path := pathOf(s.value, base)
		if path == "" {
			continue
		}
		to := l.lead(path, ofGit("hooks"), from.file, notGit)
		switch {
		case s.section == "init": // git copies what is in it
			for _, part := range slices.Concat(gitParts, []string{"info", "modules", "worktrees"}) {
				l.lead(filepath.Join(path, part), ofGit("hooks"), from.file, notGit)
			}
			l.hooksAt(setting{value: filepath.Join(path, "hooks")}, origins{file: from.file, top: from.top})
		case slices.Contains(l.tops(), to): // it stays writable itself
			for _, hook := range strings.Fields(hookNames) {
				l.lead(filepath.Join(to, hook), ofGit("hooks"), from.file, notGit)
			}
		}
	}
}

// pathOf is a path of git's configuration; empty if it needs base and that is not known.
func pathOf(value, base string) string {
	value = strings.TrimPrefix(value, ":(optional)")
	if name, below, _ := strings.Cut(value, "/"); strings.HasPrefix(name, "~") || name == "$HOME" || name == "${HOME}" {
		home, err := os.UserHomeDir()
		if of := name[1:]; name[0] == '~' && of != "" {
			var found *user.User
			if found, err = user.Lookup(of); err == nil {
				home = found.HomeDir
			}
		}
		if err != nil {
			return ""
		}
		value = home + "/" + below
	}
	switch {
	case value == "" || filepath.IsAbs(value):
		return value
	case base == "":
		return ""
	}
	return base + string(filepath.Separator) + value // not cleaned: the name before ".." may be a link
}
