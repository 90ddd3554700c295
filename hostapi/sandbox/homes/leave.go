package homes

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/scriptrun/scriptrun/hostapi/regular"
)

// leave writes a file into a home, unless the file already has that text. It follows no
// link out of the home, and readers see the old file or the new one.
func leave(home, name string, text []byte) error {
	root, err := open(home)
	if err != nil {
		return fmt.Errorf("homes: %w", err)
	}
	defer func() { _ = root.Close() }()
	if have, err := regular.ReadIn(root, name, maxConfig); err == nil && bytes.Equal(have, text) {
		return nil
	}
	if err := root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return fmt.Errorf("homes: %w", err)
	}
	next := name + ".next"
	if err := root.Remove(next); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("homes: %w", err)
	}
	if err := root.WriteFile(next, text, 0o600); err != nil {
		return fmt.Errorf("homes: %w", err)
	}
	if err := root.Rename(next, name); err != nil {
		return fmt.Errorf("homes: %w", err)
	}
	return nil
}
