package regular

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Replace writes a file anew, or for the first time, with this mode: at every moment it has
// either what it had or all of text. A link in its place is replaced, not followed. The folder
// must be there. The error is of the file system.
func Replace(name string, text []byte, mode fs.FileMode) (err error) {
	draft, err := os.CreateTemp(filepath.Dir(name), ".new-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(draft.Name()))
		}
	}()
	_, err = draft.Write(text)
	if err == nil {
		err = draft.Sync()
	}
	if err = errors.Join(err, draft.Chmod(mode), draft.Close()); err != nil {
		return err
	}
	return os.Rename(draft.Name(), name)
}
