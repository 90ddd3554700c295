package protect

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
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
func (g *Guard) openTrash() (*os.Root, error) {
	dir := g.trash()
	if dir == "" {
		return nil, fs.ErrNotExist
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return os.OpenRoot(dir)
}

// take packs names of a folder. Where there is no trash, the packed file stays beside what
// it holds, and so does a folder with what cannot be packed.
func (g *Guard) take(in *place, path string, names ...string) (to string, loose bool, err error) {
	trash, err := g.openTrash()
	if err == nil {
		defer trash.Close()
	}
	plain, id := plainName(filepath.Base(path)), rand.Text()[:8]
	name, beside := id+"-"+plain, plain+".scriptrun-"+id
	at, folder, stage := trash, name, (*os.Root)(nil)
	if trash != nil {
		stage, err = move(in, trash, folder, names) // at once out of reach
	}
	if stage == nil { // of another file system
		at, folder = in.Root, beside
		if stage, err = move(in, at, folder, names); stage == nil {
			return "", false, err
		}
	}
	defer stage.Close()
	into, dir := trash, g.trash()
	if trash == nil {
		into, dir, name = in.Root, in.path, beside
	}
	if pack(&g.packing, stage, in.path, into, name+".tar") == nil {
		_ = at.RemoveAll(folder) // what a command still has open there is a copy
		return filepath.Join(dir, name+".tar"), false, err
	}
	if f, err := stage.Open("."); err == nil { // so that nobody stands in it by mistake
		_ = f.Chmod(0)
		_ = f.Close()
	}
	if at != trash {
		dir = in.path
	}
	return filepath.Join(dir, folder), true, err
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
			all = append(all, filepath.Join(top, Trash))
		}
	}
	for _, trash := range all {
		if info, err := os.Lstat(trash); err == nil && info.IsDir() && l.inside(trash) {
			maps.DeleteFunc(k.paths, func(path string, _ bool) bool { return filepath.IsLocal(relTo(trash, path)) })
			k.paths[trash] = false
		}
	}
}

// makeTrash makes it where commands may write, before one of them runs that could.
func (g *Guard) makeTrash(further []string) {
	for _, top := range append([]string{g.workspace}, further...) {
		if g.paths.Trash != "" && filepath.IsLocal(relTo(top, g.paths.Trash)) {
			_ = os.MkdirAll(g.paths.Trash, 0o700) // where that fails, what is put away stays beside
		}
	}
}
