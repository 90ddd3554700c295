package sandbox

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// resolverText has programs ask the host for names, once, and for what they were told
// alone.
const resolverText = "nameserver 127.0.0.1\nsearch .\noptions timeout:2 attempts:1\n"

const resolverFile = "/etc/resolv.conf"

// resolver is where programs look up whom to ask for names: the file itself, or where a
// link leads below /run, of which a view has nothing. It is empty for anywhere else.
func resolver() string {
	target, err := os.Readlink(resolverFile)
	if err != nil {
		return resolverFile
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(resolverFile), target)
	}
	if target = filepath.Clean(target); strings.HasPrefix(target, "/run/") {
		return target
	}
	return ""
}

// hangResolver puts resolverText there. It is only for what people read: without it
// nothing is reached either.
func hangResolver(root, path string) {
	text := root + "/run/resolv.conf"
	if path != resolverFile {
		text = root + path
		if os.MkdirAll(filepath.Dir(text), 0o755) != nil { //nolint:gosec // it is read by all
			return
		}
	}
	if os.WriteFile(text, []byte(resolverText), 0o444) != nil || path != resolverFile { //nolint:gosec // as above
		return
	}
	if info, err := os.Lstat(root + path); err == nil && info.Mode().IsRegular() {
		_ = bindOn(text, root+path, unix.AT_RECURSIVE, true)
	}
}
