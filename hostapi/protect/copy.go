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

// A file that a command made can still be written in ways that leave no trace: by another name
// of it, by a mapped page, which changes no time, or by a process that has it open. So of a
// file that is judged by its content only a copy stays: the judged bytes, in a file that the
// host made while no command ran. It is read-only for later commands.

// errHarmful says that a file must be put away.
var errHarmful = errors.New("it is not harmless")

// isText reports whether a file is judged by its content and read-only from then on.
func (c candidate) isText() bool {
	name := filepath.Base(c.path)
	return c.link == "" && (c.git == gitTop || c.git == gitPart && (name == "config" || name == "config.worktree"))
}

// keepCopy replaces a judged file by a copy, once in a sweep. It is false if that fails, and
// the file must go.
func (g *Guard) keepCopy(c candidate, harmless func(text string) bool) bool {
	if info, err := os.Lstat(c.path); err == nil && idFrom(info) == g.copied[c.path] && namesOf(info) == 1 {
		return true
	}
	id, err := g.copyOver(c, harmless)
	if err == nil {
		g.copied[c.path] = id
	}
	return err == nil
}

// copyOver replaces a file by another one with the same bytes, mode and owner.
func (g *Guard) copyOver(c candidate, harmless func(text string) bool) (id fileID, err error) {
	in, err := openPlace(g.topOf(c.path), filepath.Dir(c.path))
	if err != nil {
		return id, err
	}
	defer in.close()
	name := filepath.Base(c.path)
	f, err := regular.OpenIn(in.Root, name)
	if err != nil {
		return id, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return id, err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	switch {
	case err != nil:
		return id, err
	case !c.id.same(idFrom(info)):
		return id, errMoved
	case len(text) > maxConfig || !harmless(string(text)):
		return id, errHarmful
	}
	temp := name + ".scriptrun-" + rand.Text()[:8]
	out, err := in.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return id, err
	}
	_, err = out.Write(text)
	if err = errors.Join(err, ownAs(out, info)); err == nil {
		err = replace(in.Root, temp, name, info)
	}
	made, failed := out.Stat()
	if err = errors.Join(err, failed, out.Close()); err != nil {
		_ = in.Remove(temp)
		return id, err
	}
	if now, err := in.Lstat(name); err != nil || !os.SameFile(now, made) || namesOf(now) != 1 {
		return id, errMoved
	}
	return idFrom(made), nil
}

// replace renames a file over the one that was read, unless somebody has written there since.
func replace(in *os.Root, temp, name string, read fs.FileInfo) error {
	if now, err := in.Lstat(name); err != nil || idFrom(now) != idFrom(read) {
		return errMoved
	}
	return renameTo(in, temp, in, name)
}

// single puts copies in place of files that will be read-only for commands but have other names
// by which they could be written. It reports whether it replaced any. While other commands run
// it replaces none, because these could write the copy: its content is then judged when they
// end.
func (g *Guard) single(l *look) (did bool) {
	for _, c := range l.found {
		known, ok := g.known[c.path]
		if !ok || !c.isText() || !l.inside(c.path) {
			continue
		}
		if info, err := os.Lstat(c.path); err != nil || !info.Mode().IsRegular() || namesOf(info) < 2 {
			continue
		}
		if g.running > 0 {
			known.origin = origin{}
			g.known[c.path] = known
			continue
		}
		id, err := g.copyOver(c, func(string) bool { return true })
		if err != nil {
			continue // it may be somebody else's, and stays
		}
		known.id, known.origin = id, originOf(c.path)
		g.known[c.path], did = known, true
	}
	return did
}

// forgetChanged forgets what was read of files that changed since commands began: they may have
// written more since, by a mapped page, without a new time.
func (g *Guard) forgetChanged() {
	since := g.began.Add(-clockLag).UnixNano()
	maps.DeleteFunc(g.read, func(_ string, read readIndex) bool { return read.id.latest() >= since })
	if g.last == nil {
		return
	}
	for _, id := range g.last.stamps {
		if id.latest() >= since {
			g.last = nil
			return
		}
	}
}
