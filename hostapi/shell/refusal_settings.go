package shell

import (
	"fmt"
	"slices"
	"strings"
)

// addition is what a list of [sandbox] would have to hold beside what it has, and what
// is said after the setting.
type addition struct {
	key     string
	entries []string
	tail    string
}

// adding is a refusal that entries of a list would allow.
func (r Refusal) adding(key string, entries ...string) Refusal {
	r.adds = addition{key: key, entries: entries}
	return r
}

// saying is a refusal with more to say after its setting.
func (r Refusal) saying(tail string) Refusal {
	r.adds.tail = tail
	return r
}

// mostEntries is how many entries of a list are written out. Nobody copies more of them
// from a line.
const mostEntries = 20

// list is a list of [sandbox] as it would have to be with further entries. Who writes it
// in place of the one that is there loses nothing.
func (s Sandbox) list(key string, entries ...string) string {
	whole := slices.Clone(s.inForce(key))
	before := len(whole)
	for _, entry := range entries {
		if !slices.Contains(whole, entry) {
			whole = append(whole, entry)
		}
	}
	if before > 0 && len(whole) > mostEntries {
		return quotedList(entries) + " added to [sandbox] " + key
	}
	return "[sandbox] " + key + " = [" + quotedList(whole) + "]"
}

func quotedList(entries []string) string {
	var quoted []string
	for _, entry := range entries {
		quoted = append(quoted, fmt.Sprintf("%q", entry))
	}
	return strings.Join(quoted, ", ")
}

// inForce is what a list of [sandbox] holds.
func (s Sandbox) inForce(key string) []string {
	switch key {
	case keyNetwork:
		return s.Hosts
	case "private":
		return s.Private
	case keyUnprotect:
		return s.Protected.Except
	}
	read, write := s.Read, s.Write
	if s.stated != nil {
		read, write = s.stated.read, s.stated.write
	}
	if key == "write" {
		return write
	}
	return read
}

// stated are the folders that the operator named, before others came to them.
type stated struct{ read, write []string }

// The lists that a refusal is allowed by from several places.
const (
	keyNetwork   = "network"
	keyUnprotect = "unprotect"
)

// settled are refusals with their settings written out. Those that one setting allows are
// told in one line, and a further line about the same list holds what those before it
// name: whoever follows the last one has followed all.
func (s Sandbox) settled(all []Refusal) (out []Refusal) {
	for _, r := range all {
		at := slices.IndexFunc(out, func(other Refusal) bool {
			return r.adds.key != "" && other.adds.key == r.adds.key && other.adds.tail == r.adds.tail && other.Probably == r.Probably
		})
		if at < 0 {
			r.adds.entries = slices.Clone(r.adds.entries)
			out = append(out, r)
			continue
		}
		out[at].What += " and " + r.What
		out[at].adds.entries = append(out[at].adds.entries, r.adds.entries...)
	}
	asked := map[string][]string{}
	for i, r := range out {
		if key := r.adds.key; key != "" {
			for _, entry := range r.adds.entries {
				if !slices.Contains(asked[key], entry) {
					asked[key] = append(asked[key], entry)
				}
			}
			out[i].Allow = s.list(key, asked[key]...) + r.adds.tail
		}
	}
	return out
}

// mostNames is how many names are told at once.
const mostNames = 5

// someOf are the first of many paths, and how many more there are.
func someOf(paths []string) string {
	var shown []string
	for _, path := range paths[:min(len(paths), mostNames)] {
		shown = append(shown, named(path))
	}
	text := strings.Join(shown, ", ")
	if more := len(paths) - mostNames; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
