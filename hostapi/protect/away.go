package protect

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"unicode/utf8"
)

// Away is something that came while commands ran and was put away.
type Away struct {
	// Path is what it was, relative to the workspace where it lies in it.
	Path string
	// To is where it is now, in the same way; empty if it could not be moved.
	To string
	// Reason says who would run it.
	Reason string
	// Kept is set for what stays where it is: it was replaced while commands ran,
	// by somebody else or with what a command wrote then. Where Err is set, it is
	// a configuration of git that could not be followed to where it leads.
	Kept bool
	// Whole is set for a folder that is read-only as a whole, because there is more in
	// it than is kept one by one.
	Whole bool
	// Back is set where it is at its place again as it was before.
	Back bool
	// Deleted is the working folder, relative to the workspace, in which git shows it as
	// deleted now; empty for what git does not know.
	Deleted string
	// Err is why it could not be moved, or followed.
	Err error

	except string
}

// Name is what an exception for it is called.
func (a Away) Name() string { return a.except }

// putAway moves something to the trash, and puts a link back that it stands in
// place of. Whoever may write in the workspace may move folders meanwhile: nothing
// is done outside of it all the same.
func (g *Guard) putAway(c, was candidate) (away Away) {
	top, bin := g.binFor(c.path)
	rel := relTo(top, c.path)
	away = Away{Path: relTo(g.workspace, c.path), Reason: c.reason, except: c.except}
	defer rightsOn(top)()
	root, err := os.OpenRoot(top)
	if err != nil {
		away.Err = err
		return away
	}
	defer root.Close()
	text := was.text
	if c.git == gitSteps {
		text = stepsWithout(c.path, c.text, was.text)
	}
	at := filepath.FromSlash(rel)
	to := filepath.Join(bin, rand.Text()[:8]+"-"+shortened(filepath.Base(at)))
	err = withRights(root, func() error {
		if err := makeBin(root, bin); err != nil {
			return err
		}
		return root.Rename(at, to)
	}, bin, at)
	if err != nil {
		to = filepath.Join(filepath.Dir(at), shortened(filepath.Base(at))+".scriptrun-"+rand.Text()[:8]) // the trash is of another file system, or no folder
		if withRights(root, func() error { return root.Rename(at, to) }, at) != nil {
			away.Err = err
			return away
		}
		if c.link != "" {
			if g.placed == nil {
				g.placed = map[string]string{}
			}
			g.placed[filepath.Join(top, to)] = c.link
		}
	}
	g.bins.putAway(filepath.Join(top, to))
	away.To = relTo(g.workspace, filepath.Join(top, to))
	defer func() { away.Back = away.Err == nil && (was.link != "" || was.text != "" && text == was.text) }()
	away.Err = withRights(root, func() error {
		switch {
		case was.link != "":
			return root.Symlink(was.link, at)
		case text != "": // what others had there
			return writeNew(root, at, text)
		case c.git == gitTree: // as git writes it
			return writeNew(root, at, treeLeads+"\n")
		}
		return nil
	}, at)
	return away
}

// gitTrash is the trash in a repository's own folder outside the workspace.
const gitTrash = "scriptrun-trash"

// binFor is the folder in whose trash something goes, and what that is called there.
func (g *Guard) binFor(path string) (top, bin string) {
	top, bin = g.workspace, Trash
	for _, folder := range g.asked.further {
		if filepath.IsLocal(relTo(folder, path)) {
			top = folder
		}
	}
	for _, git := range g.asked.git {
		if filepath.IsLocal(relTo(git, path)) {
			top, bin = git, gitTrash
		}
	}
	return top, bin
}

// makeBin makes a trash where there is none.
func makeBin(root *os.Root, bin string) error {
	if err := root.Mkdir(bin, 0o755); err != nil && !os.IsExist(err) {
		return err
	}
	if !isFolder(root, bin) {
		return errNoTrash
	}
	if bin == Trash {
		_ = ignoreTrash(root) // what came goes all the same
	}
	return nil
}

// longestKept is how much of a name is kept, in bytes: more is added to it, and file
// systems take 255.
const longestKept = 200

// shortened is a name with room for more.
func shortened(name string) string {
	if len(name) <= longestKept {
		return name
	}
	name = name[:longestKept]
	for len(name) > 0 && !utf8.ValidString(name) && len(name) > longestKept-utf8.UTFMax {
		name = name[:len(name)-1]
	}
	return name
}

// writeNew writes a file that is not there, and so never waits for a pipe.
func writeNew(root *os.Root, name, text string) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
