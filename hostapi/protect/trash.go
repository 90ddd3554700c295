package protect

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"github.com/scriptrun/scriptrun/hostapi/regular"
)

// Trash is the folder of a workspace where what is taken away goes, from where a
// person can take it back.
const Trash = ".scriptrun-trash"

// What is in the trash may be a configuration with tokens in it, so git is kept from all of
// it: who commits all there is does not mean that. A trash that is there is
// read-only for commands. One that came while they ran is looked into as any other folder.
const (
	// Ignore is the name of that file in the trash.
	Ignore = ".gitignore"
	// IgnoreAll is what it says.
	IgnoreAll = "*\n"
)

var errNoTrash = errors.New("what stands at the name of the trash is no folder")

// ignoreTrash writes the file in the trash of a folder, unless it is there as it should be.
func ignoreTrash(root *os.Root) error {
	file := filepath.Join(Trash, Ignore)
	info, err := root.Lstat(file)
	switch {
	case err == nil && info.Mode().IsRegular() && info.Size() == int64(len(IgnoreAll)):
		if text, err := readIn(root, file); err == nil && text == IgnoreAll {
			return nil
		}
	case err == nil && info.IsDir(): // no file takes its place
		if err := root.Rename(file, file+"-"+rand.Text()[:8]); err != nil {
			return err
		}
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	draft := file + "-" + rand.Text()
	if err := writeNew(root, draft, IgnoreAll); err != nil {
		return err
	}
	if err := root.Rename(draft, file); err != nil {
		return errors.Join(err, root.Remove(draft))
	}
	return nil
}

// readIn reads what a small file is thought to hold.
func readIn(root *os.Root, name string) (string, error) {
	f, err := regular.OpenIn(root, name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxGitFile))
	return string(text), err
}

// isFolder reports whether a folder stands at a name, and no link to one.
func isFolder(root *os.Root, name string) bool {
	info, err := root.Lstat(name)
	return err == nil && info.IsDir()
}

// ignoreTrashes sees to it where there is a trash. It is of no use to tell whom that
// fails: the trash is somebody else's then.
func (g *Guard) ignoreTrashes() {
	for _, top := range append([]string{g.workspace}, g.asked.further...) {
		if !isThere(filepath.Join(top, Trash)) {
			continue
		}
		root, err := os.OpenRoot(top)
		if err != nil {
			continue
		}
		if isFolder(root, Trash) {
			_ = withRights(root, func() error { return ignoreTrash(root) }, Trash)
		}
		root.Close()
	}
}

// trashes keeps what is in each trash that is there: a command neither adds to it nor takes
// away what a person may want back.
func (l *look) trashes(k *kept) (held []string) {
	var all []string
	for _, top := range append([]string{l.workspace}, l.asked.further...) {
		if !l.paths.Excepts(Trash + "/" + Ignore) {
			all = append(all, filepath.Join(top, Trash))
		}
	}
	for _, git := range l.asked.git {
		all = append(all, filepath.Join(git, gitTrash))
	}
	for _, trash := range all {
		if info, err := os.Lstat(trash); err == nil && info.IsDir() {
			maps.DeleteFunc(k.paths, func(path string, _ bool) bool { return filepath.IsLocal(relTo(trash, path)) })
			k.paths[trash] = false
			held = append(held, trash)
		}
	}
	return held
}
