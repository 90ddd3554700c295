package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/files"
	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"github.com/scriptrun/scriptrun/scripttools/serve"
)

// sessionWorkspace gives each session the host tools of a folder of its own.
func (f *serveFlags) sessionWorkspace(h *host) (serve.Workspace, error) {
	if err := os.MkdirAll(f.workspaces, 0o700); err != nil {
		return nil, err
	}
	folder := canonical(f.workspaces)
	if sandbox.NewPlaces(h.settings.Sandbox.Write...).Hold(folder) {
		return nil, fmt.Errorf("--session-workspaces: commands may write in %s, by [sandbox] write of the settings, so that one session could take another's files; name a folder elsewhere", f.workspaces)
	}
	root, err := os.OpenRoot(folder) // whatever becomes of its path
	if err != nil {
		return nil, err
	}
	return func(context.Context, string) ([]hostapi.Tool, func(), error) {
		name := "session-" + rand.Text()
		if err := root.Mkdir(name, 0o700); err != nil {
			return nil, nil, err
		}
		remove := func() error { return root.RemoveAll(name) }
		dir, protected := filepath.Join(folder, name), h.protected // the tools too: where commands may write, a folder around them can be
		workspace, err := files.OpenProtecting(dir, protected)
		if err != nil {
			return nil, nil, errors.Join(err, remove())
		}
		workspace.Outputs = h.spill
		shell, err := h.shellOf(dir, f.environment, protected)
		if err != nil {
			return nil, nil, errors.Join(err, workspace.Close(), remove())
		}
		end := func() error { return errors.Join(shell.Close(), workspace.Close(), remove()) }
		made, err := root.Lstat(name)
		if err == nil {
			var led os.FileInfo
			if led, err = os.Lstat(dir); err == nil && !os.SameFile(made, led) {
				err = &sandbox.LedElsewhereError{Workspace: dir}
			}
		}
		if err != nil {
			return nil, nil, errors.Join(err, end())
		}
		return h.tools(workspace, shell), func() { _ = end() }, nil // nobody could read the error
	}, nil
}
