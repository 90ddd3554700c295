package protect

import (
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/scriptrun/scriptrun/hostapi/regular"
)

// mostHooks is how many hooks of one repository are looked at; git has some
// thirty.
const mostHooks = 128

var hooksPath = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?im)^\s*hookspath\s*=\s*"?([^"\r\n]+?)"?\s*$`)
})

// hooks looks at where hooks come from: the folder that the configuration
// names, and what links in the folders of hooks lead to.
func (l *look) hooks(git, top string) {
	if l.paths.Excepts(gitFolder + "/hooks") {
		return
	}
	folders := []string{filepath.Join(git, "hooks")}
	config := filepath.Join(git, "config")
	l.stamp(config)
	text, _ := readSmall(config)
	for _, match := range hooksPath().FindAllStringSubmatch(text, -1) {
		folder := match[1]
		if !filepath.IsAbs(folder) {
			if top == "" {
				continue
			}
			folder = filepath.Join(top, folder)
		}
		l.addInside(folder)
		folders = append(folders, folder)
	}
	for _, folder := range folders {
		if !l.stamp(folder) {
			continue
		}
		entries, _, _ := regular.List(folder, mostHooks) // what there is of it
		for _, entry := range entries {
			if to, err := l.effort.resolve(filepath.Join(folder, entry.Name())); err == nil && filepath.Dir(to) != folder {
				l.addInside(to)
			}
		}
	}
}

// addInside notes what lies in the workspace and is there, with the folders on
// the way.
func (l *look) addInside(path string) {
	if rel := relTo(l.workspace, path); filepath.IsLocal(rel) && rel != "." && !strings.HasPrefix(rel, gitFolder+"/") {
		l.add(path, gitReason, notGit)
		l.pinBetween(path)
	}
}
