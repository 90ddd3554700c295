package protect

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
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

// programSettings name programs that git runs by itself, in whatever section.
const programSettings = "fsmonitor sshcommand pager editor askpass program clean smudge process external command textconv driver helper"

// leads looks at where a repository leads by its hooks and settings. top is what
// is worked in, if it is known.
func (l *look) leads(git, top string) {
	l.linksIn(filepath.Join(git, "hooks"))
	if l.paths.Excepts(gitFolder + "/config") {
		return
	}
	for _, file := range append(userConfigs(), filepath.Join(git, "config"), filepath.Join(git, "config.worktree")) {
		l.config(file, git, top, deepIncludes)
	}
}

// userConfigs are the configurations that hold in all repositories.
func userConfigs() []string {
	files := []string{"/etc/gitconfig"}
	if home, err := os.UserHomeDir(); err == nil {
		files = append(files, filepath.Join(home, ".gitconfig"), filepath.Join(home, ".config", "git", "config"))
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
					l.linksIn(to)
				}
			}
		case isWorktree(s) && filepath.Dir(file) == git:
			l.worktree(file, s.value)
		case hasWord(programSettings, s.name), s.section == "alias":
			for word := range strings.FieldsSeq(s.value) {
				if path := pathOf(strings.Trim(word, `!"';&|()`), top); path != "" && strings.Contains(word, "/") {
					l.lead(path, ofGit("config"), file, notGit)
				}
			}
		}
	}
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

// linksIn looks at where links in a folder of hooks lead.
func (l *look) linksIn(folder string) {
	if l.paths.Excepts(gitFolder+"/hooks") || l.listed[folder] {
		return
	}
	l.listed[folder] = true
	if !l.stamp(folder) {
		return
	}
	entries, _, _ := regular.List(folder, mostHooks) // what there is of it
	for _, entry := range entries {
		if entry.Type()&fs.ModeSymlink != 0 {
			l.lead(filepath.Join(folder, entry.Name()), ofGit("hooks"), "", notGit)
		}
	}
}
