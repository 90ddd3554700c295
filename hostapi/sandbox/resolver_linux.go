package sandbox

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// resolverText makes programs send the host one query for each name, without search
// domains.
const resolverText = "nameserver 127.0.0.1\nsearch .\noptions timeout:2 attempts:1\n"

const resolverFile = "/etc/resolv.conf"

// resolver is the file in which programs look up whom to ask for names:
// /etc/resolv.conf, or the target of that link below /run, of which a view has nothing;
// empty if it leads anywhere else.
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

// hangResolver puts resolverText there. It only improves messages: names or not,
// commands reach nothing else.
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
