package protect

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/regular"
)

// The user can go on with a repository that a command has made, if it is as
// git makes it: with hooks that are samples, and with settings that name no
// program. Anything more is put away.

// harmlessSettings are the settings, by section, that git's own init, clone, branch and the
// like write, and users who commit. Those of a partial clone are not among them: git asks its
// remote for each missing object, and so would send a host that a command chose whatever the
// names of objects spell.
var harmlessSettings = map[string]string{
	"core": "repositoryformatversion filemode bare logallrefupdates symlinks ignorecase precomposeunicode autocrlf eol safecrlf sparsecheckout sparsecheckoutcone worktree " +
		"quotepath untrackedcache preloadindex abbrev whitespace compression checkstat trustctime longpaths fscache",
	"extensions": "objectformat refstorage worktreeconfig",
	"user":       "name email useconfigonly signingkey",
	"init":       "defaultbranch",
	"remote":     "url fetch pushurl tagopt prune prunetags skipfetchall skipdefaultupdate gh-resolved",
	"branch":     "remote merge rebase description pushremote",
	"submodule":  "url active",
	"commit":     "gpgsign",
	"tag":        "gpgsign",
	"pull":       "rebase ff",
	"push":       "default autosetupremote",
	"merge":      "ff conflictstyle",
	"index":      "version sparse",
	"gc":         "auto",
	"lfs":        "repositoryformatversion access",
	"fetch":      "prune prunetags",
	"diff":       "algorithm renames colormoved mnemonicprefix",
	"log":        "date decorate",
	"status":     "short branch showuntrackedfiles",
}

// harmlessConfig reports whether a configuration has only such settings, and git reads all of
// it.
func harmlessConfig(text string) bool {
	all, whole := readSettings(text)
	return whole && !slices.ContainsFunc(all, func(s setting) bool { return !harmlessSetting(s.section, s.sub, s.name, s.value) })
}

// harmlessChange reports whether a configuration adds to another only such settings, and none
// that says where git pushes to or fetches objects from.
func harmlessChange(was, now string) bool {
	before := settingsOf(was)
	return !slices.ContainsFunc(settingsOf(now), func(s setting) bool {
		return !slices.Contains(before, s) && (!harmlessSetting(s.section, s.sub, s.name, s.value) || saysWhere(s))
	})
}

func saysWhere(s setting) bool {
	return s.section == "remote" && hasWord("url pushurl gh-resolved", s.name) ||
		s.section == "branch" && hasWord("remote pushremote", s.name) && strings.ContainsAny(s.value, "/:")
}

func hasWord(words, word string) bool {
	for w := range strings.FieldsSeq(words) {
		if w == word {
			return true
		}
	}
	return false
}

// maxGitFile bounds a file of git's that is read, in bytes.
const maxGitFile = 64 << 10

// harmless reports whether a new file or folder may stay, judged by all but its text. before is
// its earlier text.
func (c candidate) harmless(before string) bool {
	if c.link != "" {
		return false
	}
	switch c.git {
	case gitTree:
		return leadsUp(c.path)
	case gitSteps:
		return harmlessSteps(c.path, before)
	case gitPart:
		switch filepath.Base(c.path) {
		case "hooks":
			entries, whole, err := regular.List(c.path, mostHooks)
			for _, entry := range entries {
				if !strings.HasSuffix(entry.Name(), ".sample") || !entry.Type().IsRegular() {
					return false
				}
			}
			return err == nil && whole
		case "remotes", "branches": // git makes them empty, and writes nothing there
			entries, whole, err := regular.List(c.path, 1)
			return err == nil && whole && len(entries) == 0
		}
	}
	return false
}

// harmlessText reports whether a new configuration, or file .git, with this text may stay.
func (c candidate) harmlessText(e *effort, workspace string, known []string, text string) bool {
	if c.git == gitTop {
		return c.leadsHome(e, workspace, known, text)
	}
	return harmlessConfig(text) && c.worksNear(e, text, "")
}

// harmlessRest is the part of a configuration that may stay; empty for none, or if git does not
// read all of it.
func (c candidate) harmlessRest(e *effort, text string) string {
	all, whole := readSettings(text)
	rest, header := "", ""
	for _, s := range all {
		head, line := s.lines()
		one := head + line
		if !whole || s.value == "" || !slices.Equal(settingsOf(one), []setting{s}) || !c.harmlessText(e, "", nil, one) {
			continue // an empty value is false, and no value is true
		}
		if head != header {
			rest, header = rest+head, head
		}
		rest += line
	}
	return rest
}

// leadsHome reports whether a file .git leads to a folder of a repository that is checked, or
// will be because of it.
func (c candidate) leadsHome(e *effort, workspace string, known []string, text string) bool {
	to, ok := gitdirIn(c.path, text)
	if !ok {
		return false
	}
	to, err := e.resolve(to)
	if err != nil {
		return false
	}
	for _, git := range append(known, filepath.Join(workspace, gitFolder)) {
		for _, below := range []string{"modules", "worktrees"} {
			if rel, err := filepath.Rel(filepath.Join(git, below), to); err == nil && filepath.IsLocal(rel) && rel != "." {
				return true
			}
		}
	}
	return c.home != nil && c.home.knows(e, c.path, to)
}

// leadsTo is the folder that a file .git names, with links followed.
func (e *effort) leadsTo(file string) (string, bool) {
	to, ok := gitdirOf(file)
	if !ok {
		return "", false
	}
	to, err := e.resolve(to)
	return to, err == nil
}

// gitdirOf is the folder that a file .git names.
func gitdirOf(file string) (string, bool) {
	text, ok := readSmall(file)
	if !ok {
		return "", false
	}
	return gitdirIn(file, text)
}

// gitdirIn is the folder that a file .git with this text names.
func gitdirIn(file, text string) (string, bool) {
	to, found := strings.CutPrefix(trimmed(text), "gitdir: ")
	if !found || to == "" {
		return "", false
	}
	if !filepath.IsAbs(to) {
		to = filepath.Dir(file) + string(filepath.Separator) + to // not cleaned: the name before ".." may be a link
	}
	return to, true
}

// readSmall reads a small regular file, and so never waits.
func readSmall(path string) (string, bool) {
	text, err := regular.Read(path, maxGitFile)
	return string(text), err == nil
}
