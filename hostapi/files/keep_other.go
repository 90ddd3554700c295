//go:build !linux

package files

import "os"

// keep gives a draft the mode of the file that it will replace.
func keep(draft, _ *os.File, was *info) error { return draft.Chmod(was.Mode().Perm()) }
