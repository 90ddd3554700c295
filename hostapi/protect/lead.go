package protect

import (
	"errors"
	"os"
	"path/filepath"
)

// inside reports whether a path lies below a folder that commands may write in.
func (l *look) inside(path string) bool {
	for _, top := range l.tops() {
		if rel := relTo(top, path); rel != "." && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

func (l *look) tops() []string {
	return append(append([]string{l.workspace}, l.asked.further...), l.asked.git...)
}

// stay pins a folder and those on the way to it.
func (l *look) stay(dir string) {
	l.pinBetween(dir)
	if l.inside(dir) {
		l.pin(dir)
	}
}

// lead notes the file at the end of a path, and every link and folder on the way: a command
// could replace them. A repository's own folder is not noted as a whole; in any other folder it
// follows links too. via is the configuration or link that leads there.
func (l *look) lead(path string, by why, via string, git gitKind) (to string) {
	to, folder := l.leadTo(path, by, via, git)
	if folder && git == notGit {
		l.linksIn(to, by)
	}
	return to
}

// leadTo is lead without the links in a folder, and reports whether it reached a folder.
func (l *look) leadTo(path string, by why, via string, git gitKind) (to string, folder bool) {
	if filepath.VolumeName(path) != "" { // a system where commands are not confined
		return path, false
	}
	to, rest, err := l.walk(path, func(h hop) {
		folder = h.info.IsDir()
		switch {
		case !l.inside(h.path):
		case h.link != "":
			target, _ := l.effort.resolve(h.path)
			l.note(candidate{path: h.path, to: target, why: by, link: h.link, via: via, git: git, id: idFrom(h.info)})
			via = h.path
		case !h.last:
			l.pin(h.path)
		}
	})
	switch {
	case err != nil && !errors.Is(err, errEffort):
		if l.inside(to) { // it may appear later
			l.coming = append(l.coming, candidate{path: filepath.Join(to, filepath.Join(rest...)), why: by, via: via})
		}
	case err == nil && l.inside(to) && git != gitTop:
		if info, err := os.Lstat(to); err == nil {
			l.note(candidate{path: to, to: to, why: by, via: via, git: git, id: idFrom(info)})
		}
	}
	return to, folder && err == nil
}

// note adds a candidate, once, unless it is excepted.
func (l *look) note(c candidate) {
	if !l.noted[c.path] && !l.paths.Excepts(c.except) {
		l.noted[c.path] = true
		c.origin = originOf(c.path)
		name := filepath.Base(c.path)
		config := c.git == gitPart && (name == "config" || name == "config.worktree")
		if config {
			c.text, _ = readSmall(c.path)
		}
		if config || c.written() { // it may be restored
			c.as, _ = os.Lstat(c.path)
		}
		if config || c.git == gitTop {
			c.home = &home{l.workspace, append([]string{l.workspace}, l.asked.further...), l.paths}
		}
		if c.git == gitTop && c.link == "" {
			c.leads, _ = l.effort.leadsTo(c.path)
		}
		if c.git == gitSteps {
			c.text, _ = readSteps(c.path)
		}
		l.found = append(l.found, c)
	}
}
