package protect

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/regular"
)

// Bounds of what is followed: hooks of one repository, of which git has some
// thirty, files that configurations include, and the bytes of one.
const (
	mostHooks    = 128
	deepIncludes = 10
	maxConfig    = 1 << 20
)

// harmlessFiles are settings that name files and folders of which git runs nothing.
var harmlessFiles = map[string]string{
	"safe": "directory barerepository", "maintenance": "repo", "scalar": "repo", "gui": "recentrepo", "format": "outputdirectory",
	"core": "excludesfile", "blame": "ignorerevsfile", "commit": "template", "http": "cookiefile sslcert sslkey sslcainfo sslcapath",
}

// leads looks at where a repository leads by its hooks and settings. top is what
// is worked in, if it is known.
func (l *look) leads(git, top string) {
	l.linksIn(filepath.Join(git, "hooks"), ofGit("hooks"), 0)
	if l.paths.Excepts(gitFolder + "/config") {
		return
	}
	for _, file := range append(l.userConfigs(), filepath.Join(git, "config"), filepath.Join(git, "config.worktree")) {
		l.config(file, git, top, deepIncludes)
	}
}

// userConfigs are the configurations that hold in all repositories.
func (l *look) userConfigs() []string {
	files := []string{"/etc/gitconfig"}
	if home, err := os.UserHomeDir(); err == nil {
		files = append(files, filepath.Join(home, ".gitconfig"), filepath.Join(home, ".config", "git", "config"))
	}
	for folder, part := range l.paths.Elsewhere {
		if below, ok := cutPart(".config/git/config", part); ok {
			files = append(files, filepath.Join(folder, below))
		}
	}
	return files
}

// config looks at where a configuration leads. Whether a condition of what it
// includes holds is not asked: it may hold later.
func (l *look) config(file, git, top string, deep int) {
	key := file + "\x00" + git + "\x00" + top
	if deep == 0 || l.configs[key] || !l.effort.step(file) {
		return
	}
	l.configs[key] = true
	if l.inside(file) {
		l.stamp(file)
	}
	text, err := regular.Read(file, maxConfig)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) && l.inside(file) {
			l.unclear[file] = err
		}
		return
	}
	for _, s := range settingsOf(string(text)) {
		switch {
		case s.name == "path" && (s.section == "include" || s.section == "includeif"):
			if path := pathOf(s.value, filepath.Dir(file)); path != "" {
				to := l.lead(path, ofGit("config"), file, notGit)
				l.config(to, git, top, deep-1)
			}
		case s.section == "core" && s.name == "hookspath":
			if l.paths.Excepts(gitFolder + "/hooks") {
				continue
			}
			for _, base := range []string{top, git} {
				if path := pathOf(s.value, base); path != "" {
					to := l.lead(path, ofGit("hooks"), file, notGit)
					l.linksIn(to, ofGit("hooks"), 0)
				}
			}
		case isWorktree(s) && filepath.Dir(file) == git:
			l.worktree(file, s.value)
		case !harmlessSetting(s.section, s.sub, s.name, s.value) && !hasWord(harmlessFiles[s.section], s.name):
			l.words(s, file, top)
		}
	}
}

// words looks at where the words of a setting lead that may name a program: all but those
// that are known to name none do. What such a program reads itself is not known.
func (l *look) words(s setting, file, top string) {
	switch runs := strings.HasPrefix(s.value, "!"); {
	case s.section == "alias" && !runs, s.section == "branch", s.section == "submodule" && !runs: // words of git's own, and names of branches
		return
	}
	text := s.value
	if s.section == "url" { // what is put in place of its value
		text = s.sub
	}
	for i, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n!\"'`;&|()<>{}=$:,", r) }) {
		path := pathOf(word, top)
		switch info, err := os.Stat(path); {
		case path == "", err == nil && info.IsDir(): // no program
			continue
		case strings.Contains(word, "/"):
		case i == 0, err != nil, i > 1 && info.Mode()&0o111 == 0 && !isScript(word): // a name alone is sought on PATH
			continue
		}
		l.lead(path, ofGit("config"), file, notGit)
	}
}

// isScript reports whether a file is one that an interpreter is given.
func isScript(name string) bool {
	return slices.Contains([]string{".sh", ".bash", ".py", ".rb", ".pl", ".js", ".mjs", ".cjs", ".ts", ".lua", ".php"}, filepath.Ext(name))
}

// pathOf is a path as git's configuration has it; empty where base is not known.
func pathOf(value, base string) string {
	value = strings.TrimPrefix(value, ":(optional)")
	if below, ok := strings.CutPrefix(value, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		return filepath.Join(home, below)
	}
	switch {
	case value == "" || filepath.IsAbs(value):
		return value
	case base == "":
		return ""
	}
	return base + string(filepath.Separator) + value // not cleaned: what is before ".." may be a link
}

// linksIn looks at where links in a protected folder lead, and in those below it, so deep.
// What somebody else writes at a link's end is as if it were written there.
func (l *look) linksIn(folder string, by why, deep int) {
	if l.paths.Excepts(by.except) || l.listed[folder] || !l.effort.step(folder) {
		return
	}
	l.listed[folder] = true
	if l.inside(folder) && !l.stamp(folder) {
		return
	}
	entries, _, _ := regular.List(folder, mostHooks) // what there is of it
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		switch {
		case entry.Type()&fs.ModeSymlink != 0:
			if info, err := os.Lstat(folder); err == nil {
				l.stamps[folder] = idFrom(info) // somebody may lead it elsewhere
			}
			l.lead(path, by, "", notGit)
		case entry.IsDir() && deep > 0:
			l.linksIn(path, by, deep-1)
		}
	}
}
