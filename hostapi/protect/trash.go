package protect

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// What is put away must not run where it lies either, nor be in reach of commands, also of
// those that began before or work in a folder around. So it is packed into a file outside of
// all that they see. One that runs may have it open: what is in the trash is a copy.

// Trash is the folder of a workspace where the tools for files put what they delete.
// Where it is there it is read-only for commands.
const Trash = ".scriptrun-trash"

const (
	// Ignore is the name of the file in it that keeps git from the rest.
	Ignore = ".gitignore"
	// IgnoreAll is what it says.
	IgnoreAll = "*\n"
)

// trash is where what is put away goes; empty for none.
func (g *Guard) trash() string {
	if g.paths.Trash == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(g.workspace))
	return filepath.Join(g.paths.Trash, plainName(filepath.Base(g.workspace))+"-"+hex.EncodeToString(sum[:5]))
}

// openTrash makes it where it is not there.
func (g *Guard) openTrash() (*place, error) {
	dir := g.trash()
	if dir == "" {
		return nil, fs.ErrNotExist
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return openPlace(dir, dir)
}

// errTrashTaken is a folder in which no trash can be made.
var errTrashTaken = errors.New(Trash + " and " + Trash + "-1 to -3 are no folders; remove one of them")

// nearTrashes are the names of the folder in the workspace that serves where the trash does not: the
// next one where something else than a folder has the name.
var nearTrashes = []string{Trash, Trash + "-1", Trash + "-2", Trash + "-3"}

// openNear opens that folder in the workspace, or in another where commands write. Commands that
// begin while it is there do not write in it, so that the one that was there for them comes first.
func (g *Guard) openNear(top string) (near *place, err error) {
	in, err := openPlace(top, top)
	if err != nil {
		return nil, err
	}
	defer in.close()
	for _, name := range append([]string{cmp.Or(g.near[top], Trash)}, nearTrashes...) {
		if err = in.Mkdir(name, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		if near, err = openPlace(top, filepath.Join(top, name)); err == nil {
			_ = writeNew(near.Root, Ignore, IgnoreAll, nil) // else it is there
			g.near[top] = name
			return near, nil
		}
	}
	return nil, fmt.Errorf("%s: %w", top, errTrashTaken)
}

// take packs names of a folder. What cannot be packed is kept as it is, shut. Both lie in the
// trash; where that cannot be had, or is of another file system, near it was.
func (g *Guard) take(in *place, path string, names ...string) (to string, loose bool, err error) {
	top, id, plain := g.topOf(path), rand.Text()[:8], plainName(filepath.Base(path))
	if slices.Contains(g.asked.git, top) {
		top = g.workspace
	}
	name, into := id+"-"+plain, (*place)(nil)
	for _, open := range []func() (*place, error){g.openTrash, func() (*place, error) { return g.openNear(top) }, nil} {
		at := &place{Root: in.Root, path: in.path}
		if open == nil { // beside, as a last resort
			name = plain + ".scriptrun-" + id
		} else if at, err = open(); err != nil {
			continue
		}
		defer at.close()
		if into == nil {
			into = at
		}
		var stage *os.Root
		stage, err = move(in, at.Root, name, names) // at once out of reach
		switch {
		case errors.Is(err, fs.ErrNotExist) && stage == nil:
			return "", false, err
		case stage == nil:
			continue
		}
		defer stage.Close()
		if pack(&g.packing, stage, in.path, into.Root, name+".tar") == nil {
			_ = at.RemoveAll(name) // what a command still has open there is a copy
			g.tidy()
			return filepath.Join(into.path, name+".tar"), false, err
		}
		if f, err := stage.Open("."); err == nil { // so that nobody stands in it by mistake
			_ = f.Chmod(0)
			_ = f.Close()
		}
		g.tidy()
		return filepath.Join(at.path, name), true, err
	}
	return "", false, err
}

// move moves names to a new folder; nil where nothing was moved.
func move(in *place, to *os.Root, folder string, names []string) (stage *os.Root, err error) {
	if err := to.Mkdir(folder, 0o700); err != nil {
		return nil, err
	}
	info, err := to.Lstat(folder)
	if err == nil {
		stage, err = openSame(to, folder, info)
	}
	if err != nil {
		return nil, err
	}
	moved := 0
	for _, name := range names {
		info, failed := in.Lstat(name)
		if failed == nil {
			back, ok := allow(in.Root, name, info) // of a folder that is moved its own is changed
			if failed = renameTo(in.Root, name, stage, name); failed == nil {
				moved++
			}
			if ok {
				back()
			}
		}
		if failed != nil && !errors.Is(failed, fs.ErrNotExist) {
			err = cmp.Or(err, failed)
		}
	}
	if moved == 0 {
		_ = stage.Close()
		_ = to.Remove(folder)
		return nil, cmp.Or(err, fs.ErrNotExist)
	}
	return stage, err
}

// longestKept is how much of a name is kept, in bytes: more is added to it, and file
// systems take 255.
const longestKept = 100

// plainName is a name as nothing but letters, digits and a few signs, for people and shells.
func plainName(name string) string {
	plain := func(r rune) rune {
		if strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._", r) {
			return r
		}
		return '-'
	}
	name = strings.Map(plain, name)
	return name[:min(len(name), longestKept)]
}

// holdTrashes keeps the trash of commands that may write around it, and what the tools for
// files deleted.
func (l *look) holdTrashes(k *kept) {
	all := []string{l.paths.Trash}
	if l.paths.Trash != "" {
		if to, err := l.effort.resolve(l.paths.Trash); err == nil {
			all = append(all, to)
		}
	}
	for _, top := range append([]string{l.workspace}, l.asked.further...) {
		if !l.paths.Excepts(Trash + "/" + Ignore) {
			for _, name := range nearTrashes {
				all = append(all, filepath.Join(top, name))
			}
		}
	}
	for _, trash := range all {
		if info, err := os.Lstat(trash); err == nil && info.IsDir() && l.inside(trash) {
			maps.DeleteFunc(k.paths, func(path string, _ bool) bool { return filepath.IsLocal(relTo(trash, path)) })
			k.paths[trash] = false
		}
	}
}

// makeTrash makes it where commands may write, before one of them runs that could. Where
// something cannot be moved there, it makes the one near by: what a command finds when it
// begins it does not write. Where other things have all of its names no command begins.
func (g *Guard) makeTrash(further []string) error {
	if g.paths.Trash == "" {
		return nil
	}
	failed := os.MkdirAll(g.paths.Trash, 0o700)
	trash, err := idOf(g.paths.Trash)
	for _, top := range append([]string{g.workspace}, further...) {
		if at, _ := idOf(top); errors.Join(failed, err) != nil || !trash.near(at) {
			near, err := g.openNear(top)
			switch {
			case err == nil:
				near.close()
			case errors.Is(err, errTrashTaken):
				return err
			}
		}
	}
	if !g.tidied {
		g.tidied = true
		g.tidy()
	}
	return nil
}

// Bounds of the trash of a workspace: the bytes of what is packed, and what is kept as it was.
const (
	mostTrash = 1 << 30
	mostLoose = 3
)

// leftTime is longer than it takes to pack something.
const leftTime = 6 * packTime

// tidy removes the oldest of the trash beyond its bounds, and what a host that was killed left
// half packed. What that had not packed yet is shut.
func (g *Guard) tidy() {
	trash, err := os.OpenRoot(g.trash())
	if err != nil {
		return // there is none
	}
	defer trash.Close()
	entries, _ := fs.ReadDir(trash.FS(), ".") // what there is of it
	var all []fs.FileInfo
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil {
			all = append(all, info)
		}
	}
	slices.SortFunc(all, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	left, loose := int64(mostTrash), mostLoose
	for i, info := range all {
		late := time.Since(info.ModTime()) > leftTime
		switch {
		case strings.HasSuffix(info.Name(), half):
			if late {
				_ = trash.Remove(info.Name())
			}
		case !info.IsDir():
			if left -= info.Size(); left < 0 && i > 0 && trash.Remove(info.Name()) == nil {
				g.dropped++
			}
		default:
			if loose--; loose < 0 {
				removeShut(trash, info.Name())
				g.dropped++
			} else if late && info.Mode().Perm() != 0 {
				_ = trash.Chmod(info.Name(), 0)
			}
		}
	}
}

// removeShut removes a folder, also where its owner gave up his rights on some in it.
func removeShut(trash *os.Root, name string) {
	_ = fs.WalkDir(trash.FS(), name, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			_ = trash.Chmod(path, allRights)
		}
		return nil
	})
	_ = trash.RemoveAll(name)
}
