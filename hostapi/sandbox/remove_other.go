//go:build !linux

package sandbox

import "os"

// removeFolder removes a folder with all that is in it, as far as it can.
func removeFolder(path string) { _ = os.RemoveAll(path) }
