package protect

import (
	"encoding/hex"
	"path/filepath"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/regular"
	"github.com/scriptrun/scriptrun/hostapi/upward"
)

// Git shows tracked files that were put away as deleted, and a commit of everything
// would include that. So the result says it.

// deletedFrom is the working folder, relative to the workspace, in which git shows a path as
// deleted once it is gone; empty for none.
func (g *Guard) deletedFrom(e *effort, path string) string {
	own := treeOf([]string{g.workspace}, g.asked.further, g.asked.git)
	for dir := range upward.From(filepath.Dir(path)) {
		if !own.holds(dir) || !e.step(dir) {
			break
		}
		git, err := e.gitOf(dir)
		if err != nil {
			continue
		}
		if own.holds(git) && tracks(e, git, relTo(dir, path)) {
			return relTo(g.workspace, dir)
		}
		return ""
	}
	return ""
}

// tracks reports whether the index of a repository names a path, or one below it.
func tracks(e *effort, git, path string) (found bool) {
	common := git
	if leadsUp(filepath.Join(git, "commondir")) {
		common = filepath.Dir(filepath.Dir(git))
	}
	for name := "index"; name != "" && !found; {
		f, err := regular.Open(filepath.Join(git, name))
		if err != nil {
			return false
		}
		r := newIndexReader(e.reader(f), hashSizeOf(common))
		r.named = func(name []byte) {
			rest, ok := strings.CutPrefix(string(name), path)
			found = found || ok && (rest == "" || rest[0] == '/')
		}
		_ = r.read() // as far as it can be read
		f.Close()
		if name != "index" || r.found.shared == nil {
			return found
		}
		name = "sharedindex." + hex.EncodeToString(r.found.shared)
	}
	return found
}

// hashSizeOf is the length of a repository's object names, in bytes.
func hashSizeOf(git string) int {
	if text, _ := readSmall(filepath.Join(git, "config")); strings.Contains(strings.ToLower(text), "sha256") {
		return 32
	}
	return 20
}
