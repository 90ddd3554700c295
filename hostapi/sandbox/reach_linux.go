package sandbox

import (
	"path/filepath"
	"slices"
	"strings"
)

// Reaches reports whether the policy lets commands read, and write, a path of the host.
// The path is absolute. Reaches does not look at the file, so that its answer reveals
// nothing of it.
func (p Policy) Reaches(path string) (read, write bool) {
	if p.off() {
		return true, true
	}
	for _, private := range []string{"/tmp", "/var/tmp", "/dev", "/proc"} {
		if beneath(path, private) {
			return true, private != "/proc"
		}
	}
	read, write = p.Grants(path)
	return read || strings.Count(path, "/") < 2, write // names at the top can be listed
}

// Grants reports whether the policy itself grants a path of the host; replacements,
// such as a /tmp of their own, do not count.
func (p Policy) Grants(path string) (read, write bool) {
	if p.Own != "" && beneath(path, homesOf(p.Own)) {
		own := beneath(path, p.Own)
		return own, own
	}
	for _, b := range binds(p) {
		if beneath(path, b.path) {
			read, write = true, write || b.write
		}
	}
	return read, write
}

// Hides reports whether a path of the host is, or lies in, a place for keys and other
// secrets of any home folder. Nobody should be advised to grant it. The path is
// absolute, and Hides does not look at the file.
func (p Policy) Hides(path string) bool {
	path = filepath.Clean(path)
	if p.off() {
		return false
	}
	for _, name := range keysInHome {
		if strings.Contains(path+"/", "/"+name+"/") {
			return true
		}
	}
	in := func(secret string) bool { return beneath(path, secret) || beneath(path, resolved(secret)) }
	return slices.ContainsFunc(homeKeys(p), in) || beneath(path, "/etc") && slices.ContainsFunc(secretsInEtc(), in)
}
