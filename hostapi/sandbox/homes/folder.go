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
	"github.com/scriptrun/scriptrun/hostapi/sandbox/internal/removal"
)

// Folder keeps the homes of workspaces, each in a subfolder that is named by a digest
// of the workspace's path and also records that path. A home is made under the name
// home. It may be renamed in its subfolder, where it is the only folder.
type Folder struct {
	// Path is absolute. [Folder.For] makes it.
	Path string
}

// The names in a workspace's folder.
const (
	homeName = "home"
	nameName = "workspace"
)

// maxName bounds the recorded path of a workspace, in bytes.
const maxName = 64 << 10

// removedPrefix begins the names of folders that are being removed.
const removedPrefix = ".removed-"

// For returns the home of a workspace and makes it if it is missing: a folder that only
// the user may enter. The workspace is named by its absolute path with links followed.
// The result is the path under which commands see the home; [Find] says where it is.
func (f Folder) For(workspace string) (home string, err error) {
	if !filepath.IsAbs(f.Path) || !filepath.IsAbs(workspace) {
		return "", fmt.Errorf("homes: expected absolute paths, not %q and %q", f.Path, workspace)
	}
	of := f.of(workspace)
	home = filepath.Join(of, homeName)
	if _, _, found := Find(home); found == nil && own(of) == nil {
		name, err := regular.Read(filepath.Join(of, nameName), maxName)
		if err == nil && string(name) != workspace {
			return "", fmt.Errorf("homes: %s belongs to %s", of, name)
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

// Find returns where a home is now, whatever its name. If somebody keeps renaming it,
// the path may already be wrong.
func Find(home string) (path string, info fs.FileInfo, err error) {
	of := filepath.Dir(home)
	for range 3 { // some file systems skip a folder that is renamed while they list it
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

// open opens a home under any name.
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
	return nil, fmt.Errorf("homes: %s is renamed again and again", home)
}

func (f Folder) of(workspace string) string {
	sum := sha256.Sum256([]byte(workspace))
	return filepath.Join(f.Path, hex.EncodeToString(sum[:10]))
}

// own refuses anything but a folder: a link could lead anywhere.
func own(dir string) error {
	info, err := os.Lstat(dir)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is not a folder; remove it", dir)
	}
	return err
}

// Home is a home in a [Folder].
type Home struct {
	// Workspace is the path of its workspace, which may no longer exist.
	Workspace string
	// Path is the home folder, as commands see it.
	Path string
	// Bytes is the sum of its files' and folders' lengths, as the file system has them.
	Bytes int64
	// Used is when an entry at its top was last made or removed.
	Used time.Time
}

// List returns the homes, sorted by workspace. It skips other entries, and homes that
// go away meanwhile.
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

// Remove removes the home of a workspace; a missing one is no error. A command that
// still runs in it finds it empty.
func (f Folder) Remove(workspace string) error {
	of := f.of(workspace)
	removed, err := os.MkdirTemp(f.Path, removedPrefix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("homes: %w", err)
	}
	// Nobody starts to use it at its new place.
	err = os.Rename(of, filepath.Join(removed, homeName))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, f.sweep())
}

// sweep removes folders that Remove has moved, also those of an earlier call that did
// not finish.
func (f Folder) sweep() error {
	return f.removeEach(func(name string) bool { return strings.HasPrefix(name, removedPrefix) })
}

// Clear removes all homes. No command may be in one any more.
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

// removeAll removes a folder of which parts may be read-only, such as a cache of
// modules, or very deep.
func removeAll(root *os.Root, name string) error {
	if info, err := root.Lstat(name); err == nil && info.IsDir() {
		removal.Folder(filepath.Join(root.Name(), name))
	}
	return root.RemoveAll(name) // it reports what is left
}
