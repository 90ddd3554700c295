package protect

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Git writes most of its files through a link at their name, or on the way:
// messages, FETCH_HEAD, logs, the state of a stopped rebase, resolutions of
// conflicts. Through a link the user's next commit or merge would write any file of
// theirs, and names of branches may spell a command. Git makes no link in a
// repository's own folder, so no new link stays there.

const writesReason = "git writes to where it leads"

// linksOf looks at the links in a repository's own folder, or in that of a further working
// folder. Old ones stay as they are.
func (l *look) linksOf(git string) {
	for next := []string{"."}; len(next) > 0; next = next[1:] {
		at := next[0]
		dir := filepath.Join(git, filepath.FromSlash(at))
		if _, ok := l.listings[dir]; ok {
			continue // as part of another
		}
		here := l.list(dir)
		if here == nil {
			continue
		}
		if !here.whole {
			return // judge sees that there is too much
		}
		for _, name := range here.links {
			below := path.Join(at, name)
			if slices.Contains(gitParts, below) || slices.Contains(gitStates, below) {
				continue // they are checked by themselves
			}
			l.writtenLink(filepath.Join(dir, name), below, "")
			if first, _, _ := strings.Cut(below, "/"); hasWord(gitWrites, first) {
				l.linksBehind(filepath.Join(dir, name), below)
			}
		}
		for _, name := range here.folders {
			if below := path.Join(at, name); l.mayWrite(git, below) {
				next = append(next, below)
			}
		}
	}
}

// linksBehind looks at the links in a folder to which a link in a repository's own folder
// leads: that link may be old, but commands can write its target.
func (l *look) linksBehind(link, below string) {
	to, err := l.effort.resolve(link)
	if err != nil || !l.inside(to) {
		return
	}
	for next := []string{to}; len(next) > 0; next = next[1:] {
		if _, ok := l.listings[next[0]]; ok {
			continue
		}
		here := l.list(next[0])
		if here == nil {
			continue
		}
		for _, name := range here.links {
			l.writtenLink(filepath.Join(next[0], name), below, link)
		}
		for _, name := range here.folders {
			next = append(next, filepath.Join(next[0], name))
		}
	}
}

// writtenLink notes a link through which git would write at a name below a repository's own
// folder; via is another link that leads there.
func (l *look) writtenLink(path, below, via string) {
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		link, _ := os.Readlink(path) // empty if it is gone
		l.note(candidate{path: path, why: why{writesReason, exceptLink(below)}, link: link, git: gitLink, via: via, id: idFrom(info)})
	}
}

// exceptLink is the exception for a link in a repository's own folder: its name there, and
// nothing else. Names that git does not have get none.
func exceptLink(below string) string {
	if !isWrittenName(below) {
		return ""
	}
	return path.Join(gitFolder, below)
}

// isWrittenName reports whether git has a name below a repository's own folder: its heads and
// messages are in capitals.
func isWrittenName(below string) bool {
	first, _, deep := strings.Cut(below, "/")
	heads := !deep && strings.Trim(first, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == ""
	return below != "" && below != "objects" && path.Clean(below) == below && (heads || hasWord(gitWrites+" modules worktrees", first))
}

// gitWrites are the folders of a repository in which git and its helpers write.
const gitWrites = "logs refs rr-cache info objects lfs reftable svn fsmonitor--daemon NOTES_MERGE_WORKTREE rebase-merge rebase-apply sequencer"

// mayWrite reports whether to look for links in a folder of a repository's own: not in folders
// that are protected as a whole or checked by themselves, and not among objects, by whose names
// git does not write. A further working folder in a repository is the user's, and so are the
// other folders in a bare one.
func (l *look) mayWrite(git, at string) bool {
	if first, _, _ := strings.Cut(at, "/"); !hasWord(gitWrites, first) &&
		(!slices.Contains(strings.Split(filepath.ToSlash(git), "/"), gitFolder) || isThere(filepath.Join(git, filepath.FromSlash(at), gitFolder))) {
		return false
	}
	switch at {
	case "hooks", "remotes", "branches", "modules", "worktrees", "objects/pack":
		return false
	}
	if slices.Contains(gitStates, at) && l.paths.Excepts(path.Join(gitFolder, at)) {
		return false
	}
	if name, ok := strings.CutPrefix(at, "objects/"); ok {
		return !isFan(name)
	}
	if name, ok := strings.CutPrefix(at, "lfs/objects/"); ok {
		first, second, deep := strings.Cut(name, "/")
		return !deep || !isFan(first) || !isFan(second)
	}
	return true
}

// isFan reports whether a name is that of a folder of objects: the first two digits of their
// names.
func isFan(name string) bool {
	const digits = "0123456789abcdef"
	return len(name) == 2 && strings.IndexByte(digits, name[0]) >= 0 && strings.IndexByte(digits, name[1]) >= 0
}
