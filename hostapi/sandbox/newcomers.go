package sandbox

import (
	"os"
	"path/filepath"
	"slices"
)

// Newcomers records what stood at the names of secrets, where commands of a box may
// write, before a command ran. A command can create a missing file there. It is hidden
// from later commands, but programs outside read keys and settings from it.
type Newcomers struct {
	stood map[string]string
}

// SecretNames records what stands at these names now.
func (b *Box) SecretNames() Newcomers {
	n := Newcomers{stood: make(map[string]string, len(b.secretNames))}
	for _, name := range b.secretNames {
		n.stood[name] = standsAt(name)
	}
	return n
}

// secretNames are the names of secrets where commands may write. Finding them takes
// longer than checking them, because links are followed.
func (p Policy) secretNames() (names []string) {
	if p.off() {
		return nil
	}
	var written []string
	for _, place := range p.writable() {
		written = append(written, resolved(place))
	}
	granted := p.grants()
	for _, home := range granted.homes() {
		if resolved(home) != home { // its real name is enough
			continue
		}
		for _, name := range keysInHome {
			key := filepath.Join(home, name)
			if slices.ContainsFunc(written, func(place string) bool { return beneath(key, place) }) {
				names = append(names, key)
			}
		}
	}
	return names
}

// Came returns the names, sorted, at which something appeared since then, or a link now
// leads to something else.
func (n Newcomers) Came() (names []string) {
	for name, stood := range n.stood {
		if now := standsAt(name); now != "" && now != stood {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// standsAt says what is at a name: nothing, something, or a link.
func standsAt(name string) string {
	const something = "something"
	info, err := os.Lstat(name)
	switch {
	case err != nil:
		return ""
	case info.Mode()&os.ModeSymlink == 0:
		return something
	}
	to, _ := os.Readlink(name) // empty if it is gone
	if _, err := os.Stat(name); err != nil {
		return "a link to " + to
	}
	return something + " that a link leads to, " + to
}
