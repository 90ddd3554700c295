//go:build !unix

package sandbox

import "io/fs"

// ours reports whether a file is a folder; here the system's folder for temporary files
// is the user's own.
func ours(info fs.FileInfo) bool { return info.IsDir() }
