package homes

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/regular"
)

// Folder is where the homes of workspaces are kept: an own folder for each,
// named after a digest of the workspace's path, with the home itself and the
// name of the workspace in it. A home is made as the folder home there; it may get
// another name in that folder, which holds no other.
type Folder struct {
	// Path is absolute. It is made when it is needed.
	Path string
}

// The names in a workspace's folder.
const (
	homeName = "home"
	nameName = "workspace"
)

// maxName bounds the path of a workspace, in bytes.
const maxName = 64 << 10

// removedPrefix begins the names of folders that are being removed.
const removedPrefix = ".removed-"

// For is the home of a workspace, made if it is not there: a folder that only
// the user may enter. The workspace is named by its absolute path with links
// followed. It is the name by which commands know it: [Find] says where it is.
func (f Folder) For(workspace string) (home string, err error) {
	if !filepath.IsAbs(f.Path) || !filepath.IsAbs(workspace) {
		return "", fmt.Errorf("homes: expected absolute paths, not %q and %q", f.Path, workspace)
	}
	of := f.of(workspace)
	home = filepath.Join(of, homeName)
	if _, _, found := Find(home); found == nil && own(of) == nil {
		name, err := regular.Read(filepath.Join(of, nameName), maxName)
		if err == nil && string(name) != workspace {
			return "", fmt.Errorf("homes: %s is of %s", of, name)
		}
		if err == nil {
			return home, nil
		}
	}
	if err := os.MkdirAll(of, 0o700); err != nil {
		return "", fmt.Errorf("homes: %w", err)
	}
	if err := own(of); err != nil {
		return "", fmt.Errorf("homes: %w", err)
	}
	if _, _, err := Find(home); errors.Is(err, fs.ErrNotExist) {
		if err := os.Mkdir(home, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", fmt.Errorf("homes: %w", err)
		}
	} else if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(of, nameName), []byte(workspace), 0o600); err != nil {
		return "", fmt.Errorf("homes: %w", err)
	}
	return home, nil
}

// Find is where a home is now, whatever its name has become. Where that changes all the
// time it may be another one already.
func Find(home string) (path string, info fs.FileInfo, err error) {
	of := filepath.Dir(home)
	for range 3 { // some file systems leave out what is renamed while they list it
		entries, listed := os.ReadDir(of)
		if listed != nil {
			return "", nil, fmt.Errorf("homes: %w", listed)
		}
		path = home
		for _, entry := range entries {
			if entry.IsDir() && entry.Name() != homeName {
				path = filepath.Join(of, entry.Name())
			}
		}
		if info, err = os.Lstat(path); err == nil && !info.IsDir() {
			err = fmt.Errorf("%s is not a folder; remove it", path)
		}
		if err == nil {
			return path, info, nil
		}
	}
	return "", nil, fmt.Errorf("homes: %w", err)
}

// open opens a home, whatever its name has become.
func open(home string) (root *os.Root, err error) {
	for range 100 {
		path, _, err := Find(home)
		if err != nil {
			return nil, err
		}
		if root, err = os.OpenRoot(path); err == nil || !errors.Is(err, fs.ErrNotExist) {
			return root, err
		}
	}
	return nil, fmt.Errorf("homes: %s gets a new name again and again", home)
}

func (f Folder) of(workspace string) string {
	sum := sha256.Sum256([]byte(workspace))
	return filepath.Join(f.Path, hex.EncodeToString(sum[:10]))
}

// own refuses what is no folder: a link could lead anywhere.
func own(dir string) error {
	info, err := os.Lstat(dir)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is not a folder; remove it", dir)
	}
	return err
}

// Home is one that is kept.
type Home struct {
	// Workspace is whose it is. It may not be there any more.
	Workspace string
	// Path is the home folder, by the name that commands have for it.
	Path string
	// Bytes is what its files take, as their lengths add up.
	Bytes int64
	// Used is when something was last made or removed at the top of it.
	Used time.Time
}

// List lists the homes, sorted by workspace. What is none is passed over, and
// so is what goes away meanwhile.
func (f Folder) List() ([]Home, error) {
	entries, err := os.ReadDir(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var all []Home
	for _, entry := range entries {
		of := filepath.Join(f.Path, entry.Name())
		name, err := regular.Read(filepath.Join(of, nameName), maxName)
		if err != nil || f.of(string(name)) != of {
			continue
		}
		home := Home{Workspace: string(name), Path: filepath.Join(of, homeName)}
		_, info, err := Find(home.Path)
		if err != nil {
			continue
		}
		home.Bytes, home.Used = size(home.Path), info.ModTime()
		all = append(all, home)
	}
	slices.SortFunc(all, func(a, b Home) int { return strings.Compare(a.Workspace, b.Workspace) })
	return all, err
}

// size adds up the lengths of the files in a home, as far as it can be
// read. Links are not followed.
func size(home string) (bytes int64) {
	root, err := open(home)
	if err != nil {
		return 0
	}
	defer func() { _ = root.Close() }()
	_ = fs.WalkDir(root.FS(), ".", func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what cannot be read is passed over
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}

// Remove removes the home of a workspace. It is not an error if there is none.
// A command that still runs in it finds it empty.
func (f Folder) Remove(workspace string) error {
	of := f.of(workspace)
	removed, err := os.MkdirTemp(f.Path, removedPrefix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("homes: %w", err)
	}
	// At its new place nobody begins to use it.
	err = os.Rename(of, filepath.Join(removed, homeName))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, f.sweep())
}

// sweep removes what was taken away, also by somebody who did not get to it.
func (f Folder) sweep() error {
	return f.removeEach(func(name string) bool { return strings.HasPrefix(name, removedPrefix) })
}

// Clear removes all homes, when no command can be in one any more.
func (f Folder) Clear() error {
	return f.removeEach(func(name string) bool {
		_, err := os.Lstat(filepath.Join(f.Path, name, nameName))
		return err == nil || strings.HasPrefix(name, removedPrefix)
	})
}

func (f Folder) removeEach(which func(name string) bool) error {
	folder, err := os.OpenRoot(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("homes: %w", err)
	}
	defer func() { _ = folder.Close() }()
	entries, err := os.ReadDir(f.Path)
	for _, entry := range entries {
		if which(entry.Name()) {
			err = errors.Join(err, removeAll(folder, entry.Name()))
		}
	}
	return err
}

// removeAll removes a folder of which parts may be read-only, as a cache of
// modules is.
func removeAll(root *os.Root, name string) error {
	err := root.RemoveAll(name)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	_ = fs.WalkDir(root.FS(), name, func(path string, entry fs.DirEntry, _ error) error {
		if entry != nil && entry.IsDir() {
			_ = root.Chmod(path, 0o700) // RemoveAll says what is left
		}
		return nil
	})
	return root.RemoveAll(name)
}
