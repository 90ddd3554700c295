package clients

import (
	"bytes"
	"maps"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// addTOML appends a table. Whatever the text is, the result is compared with it: but for the
// table, both say the same.
func (c Client) addTOML(text []byte, s Server, force bool) ([]byte, Change, error) {
	var before, table map[string]any
	if err := toml.Unmarshal(text, &before); err != nil {
		return nil, "", unkept("it is not valid TOML (%v)", err)
	}
	if err := toml.Unmarshal([]byte(c.table(s)), &table); err != nil {
		return nil, "", unkept("the server cannot be written as TOML (%v)", err)
	}
	servers, _ := before[c.at].(map[string]any)
	want := table[c.at].(map[string]any)[s.Name]
	have, there := servers[s.Name]
	switch {
	case there && holds(have, want):
		return text, Unchanged, nil
	case there && !force:
		return nil, "", ErrDiffers
	}
	change := Added
	after := text
	if there {
		change, after = Replaced, c.without(text, s.Name)
	}
	newline := "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		newline = "\r\n"
	}
	after = bytes.TrimRight(after, blank)
	after = append(bytes.Clone(after), strings.ReplaceAll("\n\n"+c.table(s), "\n", newline)...)
	var got map[string]any
	expected := maps.Clone(before)
	all := maps.Clone(servers)
	if all == nil {
		all = map[string]any{}
	}
	all[s.Name] = want
	expected[c.at] = all
	if err := toml.Unmarshal(after, &got); err != nil || !equal(got, expected) {
		return nil, "", unkept("the table %s cannot be put at its end", c.header(s.Name))
	}
	return after, change, nil
}

// without is the text without the table of a server, and those in it. Comments and empty lines
// behind a table belong to what follows.
func (c Client) without(text []byte, server string) []byte {
	var kept, behind []string
	inside := false
	for _, line := range strings.SplitAfter(string(text), "\n") {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "[") {
			table := strings.TrimSuffix(c.header(server), "]")
			rest, begins := strings.CutPrefix(trimmed, table)
			inside = begins && (strings.HasPrefix(rest, "]") || strings.HasPrefix(rest, "."))
		}
		switch {
		case !inside:
			kept = append(append(kept, behind...), line)
			behind = nil
		case trimmed == "" || strings.HasPrefix(trimmed, "#"):
			behind = append(behind, line)
		default:
			behind = nil
		}
	}
	return []byte(strings.Join(append(kept, behind...), ""))
}
