package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/scriptrun/scriptrun/hostapi/plain"
	"github.com/scriptrun/scriptrun/hostapi/regular"
	"github.com/scriptrun/scriptrun/scripttools/clients"
)

// maxClientFile is how large the configuration of a client can be, in bytes.
const maxClientFile = 4 << 20

// writeTo adds the server to the client's file in the workspace, or leaves that as it is.
func (f *connectFlags) writeTo(e env, client clients.Client, server clients.Server) error {
	path, err := f.clientFile(client)
	if err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	before, err := regular.Read(path, maxClientFile)
	switch info, statErr := os.Stat(path); {
	case err == nil && statErr == nil:
		mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return errors.Join(err, statErr)
	}
	shown := plain.Line(path)
	after, change, err := client.Add(before, server, f.force)
	var unkept *clients.KeepError
	switch {
	case errors.Is(err, clients.ErrDiffers):
		return fmt.Errorf("%s has a server %s already, which is another one; give this one a name with --name, or replace that with --force", shown, server.Name)
	case errors.As(err, &unkept):
		return fmt.Errorf("%s: nothing was written: %w; put this into it by hand:\n%s", shown, err, client.Config(server))
	case err != nil:
		return err
	case change == clients.Unchanged:
		fmt.Fprintf(e.stdout, "%s has the server %s already; nothing was written\n", shown, server.Name)
		return nil
	}
	made, err := makeFolder(filepath.Dir(path))
	if err != nil {
		return err
	}
	if err := regular.Replace(path, after, mode); err != nil {
		if made {
			err = errors.Join(err, os.Remove(filepath.Dir(path)))
		}
		return err
	}
	fmt.Fprintf(e.stdout, "wrote %s: the server %s is %s\n", shown, server.Name, map[clients.Change]string{
		clients.Created: "in it", clients.Added: "added", clients.Replaced: "replaced",
	}[change])
	return nil
}

// makeFolder makes a folder in one that is there.
func makeFolder(path string) (made bool, err error) {
	err = os.Mkdir(path, 0o755)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	return err == nil, err
}

// clientFile is the file to write, behind all links. None leads out of the workspace and the
// user's home.
func (f *connectFlags) clientFile(client clients.Client) (string, error) {
	workspace, err := filepath.Abs(f.workspaceDir())
	if err == nil {
		workspace, err = filepath.EvalSymlinks(workspace)
	}
	if err != nil {
		return "", fmt.Errorf("--workspace: %w", err)
	}
	path := filepath.Join(workspace, filepath.FromSlash(client.Project))
	for _, other := range client.Instead {
		if at := filepath.Join(workspace, filepath.FromSlash(other)); isThere(at) && !isThere(path) {
			path = at
		}
	}
	to, err := behindLinks(path)
	if err != nil {
		return "", err
	}
	if liesIn(to, workspace) {
		return to, nil
	}
	if home, err := os.UserHomeDir(); err == nil {
		if home, err = filepath.EvalSymlinks(home); err == nil && liesIn(to, home) {
			return to, nil
		}
	}
	return "", fmt.Errorf("%s leads to %s, which lies outside the workspace and your home folder; write it there by hand", plain.Line(path), plain.Line(to))
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// behindLinks is the place of a file that may not be there yet, nor its folder.
func behindLinks(path string) (string, error) {
	to, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return to, err
	}
	if isThere(path) {
		return "", fmt.Errorf("%s is a link to nothing; remove it, or make what it leads to", plain.Line(path))
	}
	folder := filepath.Dir(path)
	to, err = filepath.EvalSymlinks(folder)
	if errors.Is(err, fs.ErrNotExist) && !isThere(folder) { // it will be made in the workspace
		return path, nil
	}
	if err != nil {
		return "", fmt.Errorf("%s is a link to nothing; remove it, or make what it leads to", plain.Line(folder))
	}
	return filepath.Join(to, filepath.Base(path)), nil
}
