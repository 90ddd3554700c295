package sandbox

import (
	"path/filepath"
	"slices"
	"strings"
)

// Reaches reports whether commands may read a path of the host, as the policy
// grants it, and whether they may write it. The path is absolute; nothing is
// looked up there, so that nothing can be learned of what is.
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
	return read || strings.Count(path, "/") < 2, write // the names at the top are there
}

// Grants reports whether the policy itself lets commands read a path of the host, and
// write it: what they have in its place, such as a /tmp of their own, is none of it.
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

// Hides reports whether a path of the host is one of those that may hold keys and
// other secrets, in whatever home folder, or lies in one. Nobody should be
// advised to grant it. The path is absolute; nothing is looked up there.
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
