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

// Files that were put away must not run in their new place either, nor be in reach of commands,
// even of those that began before or work in a folder around. So they are packed into a file
// that no command sees. A running command may have one open: the trash holds a copy.

// Trash is the folder of a workspace where the file tools put what they delete. If it exists it
// is read-only for commands.
const Trash = ".scriptrun-trash"

const (
	// Ignore is the name of the file in it that keeps git from the rest.
	Ignore = ".gitignore"
	// IgnoreAll is the text of that file.
	IgnoreAll = "*\n"
)

// trash is the folder for what is put away; empty for none.
func (g *Guard) trash() string {
	if g.paths.Trash == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(g.workspace))
	return filepath.Join(g.paths.Trash, plainName(filepath.Base(g.workspace))+"-"+hex.EncodeToString(sum[:5]))
}

// openTrash opens that folder, and makes it if it is missing.
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

// errTrashTaken says that no trash can be made in a folder.
var errTrashTaken = errors.New(Trash + " and " + Trash + "-1 to -3 are not folders; remove one of them")

// nearTrashes are the names of the folder in the workspace that replaces the trash: the next
// one if something else than a folder has the name.
var nearTrashes = []string{Trash, Trash + "-1", Trash + "-2", Trash + "-3"}

// openNear opens that folder in the workspace, or in another one that commands write in.
// Commands that begin while it exists cannot write in it, so the one that existed for them
// comes first.
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
			_ = writeNew(near.Root, Ignore, IgnoreAll, nil) // it fails if the file exists
			g.near[top] = name
			return near, nil
		}
	}
	return nil, fmt.Errorf("%s: %w", top, errTrashTaken)
}

// take packs names of a folder. If they cannot be packed, it keeps them as they are, shut. They
// go to the trash; if there is none, or it is on another file system, near where they were.
func (g *Guard) take(in *place, path string, names ...string) (to string, loose bool, err error) {
	top, id, plain := g.topOf(path), rand.Text()[:8], plainName(filepath.Base(path))
	if slices.Contains(g.asked.git, top) {
		top = g.workspace
	}
	name, into := id+"-"+plain, (*place)(nil)
	for _, open := range []func() (*place, error){g.openTrash, func() (*place, error) { return g.openNear(top) }, nil} {
		at := &place{Root: in.Root, path: in.path}
		if open == nil { // beside them, as a last resort
			name = plain + ".scriptrun-" + id
		} else if at, err = open(); err != nil {
			continue
		}
		defer at.close()
		if into == nil {
			into = at
		}
		var stage *os.Root
		stage, err = move(in, at.Root, name, names) // out of reach at once
		switch {
		case errors.Is(err, fs.ErrNotExist) && stage == nil:
			return "", false, err
		case stage == nil:
			continue
		}
		defer stage.Close()
		if pack(&g.packing, stage, in.path, into.Root, name+".tar") == nil {
			_ = at.RemoveAll(name) // a command may still have the original open
			g.tidy()
			return filepath.Join(into.path, name+".tar"), false, err
		}
		if f, err := stage.Open("."); err == nil { // so that nobody works in it by mistake
			_ = f.Chmod(0)
			_ = f.Close()
		}
		g.tidy()
		return filepath.Join(at.path, name), true, err
	}
	return "", false, err
}

// move moves names to a new folder; nil if it moved none.
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
			back, ok := allow(in.Root, name, info) // moving a folder changes its own entry ..
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

// longestKept bounds the kept part of a name, in bytes: more is added to it, and file systems
// allow 255.
const longestKept = 100

// plainName is a name with only letters, digits and a few signs, for people and shells.
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

// holdTrashes protects the trash from commands that may write around it, and the files that the
// file tools deleted.
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

// makeTrash makes the trash where commands may write, before a command runs that could. If
// files cannot be moved there, it makes the one near them: a command does not write in a folder
// that exists when it begins. If other things have all of its names, no command begins.
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

// The bounds of the trash of a workspace: bytes of packed files, and unpacked folders.
const (
	mostTrash = 1 << 30
	mostLoose = 3
)

// leftTime is longer than packing can take.
const leftTime = 6 * packTime

// tidy removes the oldest files of the trash beyond its bounds, and unfinished ones of a host
// that was killed, and shuts the folders that such a host had not packed.
func (g *Guard) tidy() {
	trash, err := os.OpenRoot(g.trash())
	if err != nil {
		return // there is none
	}
	defer trash.Close()
	entries, _ := fs.ReadDir(trash.FS(), ".") // as far as it can be read
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

// removeShut removes a folder, even if its owner gave up his rights on some folders in it.
func removeShut(trash *os.Root, name string) {
	_ = fs.WalkDir(trash.FS(), name, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			_ = trash.Chmod(path, allRights)
		}
		return nil
	})
	_ = trash.RemoveAll(name)
}
