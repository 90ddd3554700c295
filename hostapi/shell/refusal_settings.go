package shell

import (
	"fmt"
	"slices"
	"strings"
)

// addition is entries that a list of [sandbox] would need, and what to say after the
// setting.
type addition struct {
	key     string
	entries []string
	tail    string
}

// adding is r, allowed by these entries of a list.
func (r Refusal) adding(key string, entries ...string) Refusal {
	r.adds = addition{key: key, entries: entries}
	return r
}

// saying is r with more to say after its setting.
func (r Refusal) saying(tail string) Refusal {
	r.adds.tail = tail
	return r
}

// mostEntries is how many entries of a list are written out.
const mostEntries = 20

// list is a list of [sandbox] as it should be: what it holds, and further entries.
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

// inForce is what a list of [sandbox] holds now.
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

// stated are the folders of the settings, without those that were added to them.
type stated struct{ read, write []string }

// Lists that are named in several places.
const (
	keyNetwork   = "network"
	keyUnprotect = "unprotect"
)

// settled writes out the settings of refusals. Those that one setting allows become one
// line. A further line about the same list includes what those before it name, so that
// following the last one is enough.
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

// mostNames is how many names are listed at once.
const mostNames = 5

// someOf lists the first of many paths, and counts the rest.
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
