//go:build !linux

package removal

import "os"

// Folder removes a folder with all that is in it, as far as it can.
func Folder(path string) { _ = os.RemoveAll(path) }
