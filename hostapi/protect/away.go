package protect

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Away is something that came while commands ran and was put away.
type Away struct {
	// Path is what it was, relative to the workspace where it lies in it.
	Path string
	// To is the file that it is packed in now, absolute; empty if it could not be moved.
	// Its names count from the root of the file system.
	To string
	// Loose is set where To is a folder that it was moved to as it is, because there is too
	// much of it to be packed, or some of it could not be read.
	Loose bool
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
	// Rest is set for a configuration of git of which all that names no program is in its place.
	Rest bool
	// Deleted is the working folder, relative to the workspace, in which git shows it as
	// deleted now; empty for what git does not know.
	Deleted string
	// Dropped is how many older ones went of the trash for it, which has a bound.
	Dropped int
	// Err is why it could not be moved, or followed.
	Err error

	except string
}

// Name is what an exception for it is called.
func (a Away) Name() string { return a.except }

// gone reports whether it was somewhere else when it was to be moved: it is sought anew.
func (a Away) gone() bool {
	return a.To == "" && !a.Kept && (errors.Is(a.Err, errMoved) || errors.Is(a.Err, os.ErrNotExist))
}

// putAway packs something into the trash, and puts a link back that it stands in
// place of. Whoever may write in the workspace may move folders meanwhile: what is
// taken is what was looked at, or nothing.
func (g *Guard) putAway(c, was candidate) (away Away) {
	away = Away{Path: relTo(g.workspace, c.path), Reason: c.reason, except: c.except}
	in, err := openPlace(g.topOf(c.path), filepath.Dir(c.path))
	if err != nil {
		away.Err = err
		return away
	}
	defer in.close()
	name := filepath.Base(c.path)
	info, err := in.Lstat(name)
	if err == nil && c.id != (fileID{}) && !c.id.same(idFrom(info)) {
		err = &os.PathError{Op: "move", Path: c.path, Err: errMoved}
	}
	if err != nil {
		away.Err = err
		return away
	}
	text := was.text
	switch {
	case c.git == gitSteps:
		text = stepsWithout(c.path, c.text, was.text)
	case text == "":
		text, away.Rest = c.rest, c.rest != ""
	}
	away.To, away.Loose, away.Err = g.take(in, c.path, name)
	if away.Dropped, g.dropped = g.dropped, 0; away.To == "" {
		return away
	}
	switch {
	case was.link != "":
		away.Err = in.Symlink(was.link, name)
	case text != "": // what others had there
		away.Err = writeNew(in.Root, name, text, was.as)
	case c.git == gitTree: // as git writes it
		away.Err = writeNew(in.Root, name, treeLeads+"\n", was.as)
	}
	away.Back = away.Err == nil && (was.link != "" || was.text != "" && text == was.text)
	return away
}

// putAwaySeveral puts several things of a folder into one file of the trash.
func (g *Guard) putAwaySeveral(dir string, names []string) (away Away) {
	away = Away{Path: relTo(g.workspace, dir), Reason: muchReason, except: ofGit("").except}
	in, err := openPlace(g.topOf(dir), dir)
	if err != nil {
		away.Err = err
		return away
	}
	defer in.close()
	away.To, away.Loose, away.Err = g.take(in, dir, names...)
	away.Dropped, g.dropped = g.dropped, 0
	return away
}

// writeNew writes a file that is not there, and so never waits for a pipe. It belongs to whom
// another did, with its mode; as is nil for none.
func writeNew(root *os.Root, name, text string, as fs.FileInfo) error {
	mode := fs.FileMode(0o644)
	if as != nil {
		mode = 0o600
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	if _, err = f.WriteString(text); as != nil {
		err = errors.Join(err, ownAs(f, as))
	}
	return errors.Join(err, f.Close())
}
