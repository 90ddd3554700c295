package lower

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// choice is a value of exports or imports in a package.json: a path, a list of which the first
// that can be used counts, choices by conditions or by paths in the order of the file, or nothing.
type choice struct {
	path  string
	list  []choice
	names []string // of conditions or paths, each for the choice of the list with its number
	null  bool     // nothing is there, whatever comes after it
}

// maxChoices is how deep choices may lie in each other.
const maxChoices = 32

// readChoice reads one value. The order of names counts, so no map will do.
func readChoice(d *json.Decoder) (choice, error) { return readChoiceWithin(d, maxChoices) }

func readChoiceWithin(d *json.Decoder, depth int) (c choice, err error) {
	token, err := d.Token()
	if err != nil {
		return c, err
	}
	if depth == 0 {
		return c, errors.New("its conditions are nested too deep")
	}
	switch token := token.(type) {
	case nil:
		c.null = true
	case string:
		c.path = token
	case json.Delim:
		for d.More() {
			if token == '{' {
				name, err := d.Token()
				if err != nil {
					return c, err
				}
				c.names = append(c.names, name.(string)) //nolint:forcetypeassert // a decoder sees to it
			}
			one, err := readChoiceWithin(d, depth-1)
			if err != nil {
				return c, err
			}
			c.list = append(c.list, one)
		}
		_, err = d.Token()
	}
	return c, err
}

// byPath reports whether the names are paths, and no conditions.
func (c *choice) byPath() bool {
	return len(c.names) > 0 && strings.HasPrefix(c.names[0], ".")
}

// find is what a path such as ./lib/a or #a stands for: the choice, and what its star covers. It
// takes the longest name that fits, as Node does: packages.html, "Subpath patterns".
func (c *choice) find(wanted string) (found *choice, star string) {
	if i := slices.Index(c.names, wanted); i >= 0 && !strings.Contains(wanted, "*") {
		return &c.list[i], ""
	}
	best := ""
	for i, name := range c.names {
		before, after, pattern := strings.Cut(name, "*")
		if !pattern || !strings.HasPrefix(wanted, before) || !strings.HasSuffix(wanted, after) || len(wanted) < len(name) ||
			len(before) < strings.Index(best, "*") || len(before) == strings.Index(best, "*") && len(name) <= len(best) {
			continue
		}
		best, found, star = name, &c.list[i], wanted[len(before):len(wanted)-len(after)]
	}
	return found, star
}

// maxTarget bounds the path of a choice, in bytes: many stars for a long name would make any size.
const maxTarget = 4 << 10

// take is the path of a choice under some conditions; "" if it has none. Choices that come after
// one that decided do not count.
func (c *choice) take(star string, conditions []string) (taken string, decided bool) {
	if c == nil || c.null {
		return "", c != nil
	}
	if len(c.path)+strings.Count(c.path, "*")*len(star) > maxTarget {
		return "", true
	}
	if c.path != "" {
		return strings.ReplaceAll(c.path, "*", star), true
	}
	for i := range c.list {
		if c.names != nil && !slices.Contains(conditions, c.names[i]) {
			continue
		}
		taken, decided = c.list[i].take(star, conditions)
		if decided && (c.names != nil || taken != "") {
			return taken, true
		}
	}
	return "", false
}

// exported is the file that a package gives under a path, such as . or ./lib/a, from its folder on.
func (m *manifest) exported(sub string, conditions []string) (string, error) {
	found, star := m.exports, ""
	switch {
	case m.exports.byPath():
		found, star = m.exports.find(sub)
	case sub != ".":
		found = nil
	}
	taken, _ := found.take(star, conditions)
	if taken == "" {
		return "", fmt.Errorf("package %s does not export %q", m.folder, sub)
	}
	file, ok := strings.CutPrefix(taken, "./")
	if !ok || !inside(file) {
		return "", fmt.Errorf("package %s exports %q as %q, which is no file of its own", m.folder, sub, taken)
	}
	return m.folder + "/" + file, nil
}

// inside reports whether a path stays in the folder of a package, and out of those in it.
func inside(file string) bool {
	for part := range strings.SplitSeq(strings.ReplaceAll(file, "\\", "/"), "/") {
		if part == "" || part == "." || part == ".." || part == "node_modules" {
			return false
		}
	}
	return true
}
