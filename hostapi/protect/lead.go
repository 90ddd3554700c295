package protect

import (
	"os"
	"path/filepath"
	"strings"
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

// stay notes that a folder stays where it is, with those on the way to it.
func (l *look) stay(dir string) {
	l.pinBetween(dir)
	if l.inside(dir) {
		l.pin(dir)
	}
}

// lead notes what stands where something leads, and every link and folder on
// the way: a command could put another in its place. A repository's own folder is
// not noted as a whole. via is the configuration or link that leads there.
func (l *look) lead(path string, by why, via string, git gitKind) (to string) {
	rest, at := strings.Split(filepath.ToSlash(path), "/"), filepath.VolumeName(path)+string(filepath.Separator)
	if at != string(filepath.Separator) { // a system where commands are not confined
		return path
	}
	for links, n := 0, 0; len(rest) > 0; n++ {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name)
		if n >= linkSteps || !l.effort.step(next) {
			return next
		}
		info, err := os.Lstat(next)
		if err != nil { // it may come
			if l.inside(next) {
				l.stamp(at)
			}
			return next
		}
		if info.Mode()&os.ModeSymlink == 0 {
			if at = next; len(rest) > 0 && l.inside(at) {
				l.pin(at)
			}
			continue
		}
		link, err := os.Readlink(next)
		if links++; err != nil || links > linkHops {
			return next
		}
		if l.inside(next) {
			l.stamp(at)
			hop, _ := l.effort.resolve(next)
			l.note(candidate{path: next, to: hop, why: by, link: link, via: via, git: git, id: idFrom(info)})
			via = next
		}
		if filepath.IsAbs(link) {
			at = string(filepath.Separator)
		}
		rest = append(strings.Split(link, "/"), rest...)
	}
	if info, err := os.Lstat(at); err == nil && l.inside(at) && git != gitTop {
		l.stamp(filepath.Dir(at))
		l.note(candidate{path: at, to: at, why: by, via: via, git: git, id: idFrom(info)})
	}
	return at
}

// note adds what was found, once, unless it is excepted.
func (l *look) note(c candidate) {
	if !l.noted[c.path] && !l.paths.Excepts(c.except) {
		l.noted[c.path] = true
		c.origin = originOf(c.path)
		if name := filepath.Base(c.path); c.git == gitPart && (name == "config" || name == "config.worktree") {
			c.text, _ = readSmall(c.path)
		}
		if c.git == gitSteps {
			c.text, _ = readSteps(c.path)
		}
		l.found = append(l.found, c)
	}
}
