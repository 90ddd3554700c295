package protect

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Away is a file or folder that appeared while commands ran and was put away.
type Away struct {
	// Path is where it was, relative to the workspace if it lies there.
	Path string
	// To is the file that it is packed in, absolute; empty if it could not be moved. Its names
	// count from the root of the file system.
	To string
	// Loose says that To is a folder with the unpacked files: they were too many to be packed,
	// or some could not be read.
	Loose bool
	// Reason says which program would run it.
	Reason string
	// Kept says that it stays in its place: while commands ran it was replaced, by somebody
	// else or with bytes that a command could write. With Err, it is a configuration of git
	// that could not be followed to where it leads.
	Kept bool
	// Whole says that it is a folder that is read-only as a whole, because it holds too much to
	// protect one by one.
	Whole bool
	// Back says that the earlier file is in its place again.
	Back bool
	// Rest says that the harmless settings of a configuration of git are in its place.
	Rest bool
	// Deleted is the working folder, relative to the workspace, in which git now shows it as
	// deleted; empty if git does not track it.
	Deleted string
	// Dropped is how many older files the trash, which has a bound, dropped for it.
	Dropped int
	// Err is why it could not be moved, or followed.
	Err error

	except string
}

// Name is the exception that would allow it.
func (a Away) Name() string { return a.except }

// gone reports whether it had moved before it could be put away: another look finds it again.
func (a Away) gone() bool {
	return a.To == "" && !a.Kept && (errors.Is(a.Err, errMoved) || errors.Is(a.Err, os.ErrNotExist))
}

// putAway packs a file or folder into the trash, and restores the file or link that it
// replaced. Commands may move folders meanwhile: putAway takes the file that was looked at, or
// none.
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
	case text != "": // the earlier text
		away.Err = writeNew(in.Root, name, text, was.as)
	case c.git == gitTree: // as git writes it
		away.Err = writeNew(in.Root, name, treeLeads+"\n", was.as)
	}
	away.Back = away.Err == nil && (was.link != "" || was.text != "" && text == was.text)
	return away
}

// putAwaySeveral packs several entries of a folder into one file of the trash.
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

// writeNew writes a file that does not exist, and so never waits for a pipe. It gets the owner
// and the mode of as; nil for none.
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
