package clients

import (
	"bytes"
	"encoding/json"
	"strings"
)

// object has its members in the order in which people read them. The values are string, bool,
// []string and object.
type object []member

type member struct {
	key   string
	value any
}

// writeJSON writes a value as people do: objects on lines, lists in one.
func writeJSON(b *strings.Builder, value any, indent, unit string) {
	switch v := value.(type) {
	case object:
		b.WriteString("{\n")
		for i, m := range v {
			b.WriteString(indent + unit + quoted(m.key) + ": ")
			writeJSON(b, m.value, indent+unit, unit)
			if i < len(v)-1 {
				b.WriteByte(',')
			}
			b.WriteByte('\n')
		}
		b.WriteString(indent + "}")
	case []string:
		b.WriteString(list(v))
	case bool:
		b.WriteString(truth(v))
	case string:
		b.WriteString(quoted(v))
	}
}

// writeTOML writes the members of a table that has no tables in it, a line each.
func writeTOML(b *strings.Builder, table object) {
	for _, m := range table {
		b.WriteString(m.key + " = ")
		switch v := m.value.(type) {
		case []string:
			b.WriteString(list(v))
		case bool:
			b.WriteString(truth(v))
		case string:
			b.WriteString(quoted(v))
		}
		b.WriteByte('\n')
	}
}

func list(items []string) string {
	var all []string
	for _, item := range items {
		all = append(all, quoted(item))
	}
	return "[" + strings.Join(all, ", ") + "]"
}

func truth(v bool) string {
	if v {
		return "true"
	}
	return "false"
}

// quoted is a string of JSON, which is one of TOML too: both escape alike what they must, and
// DEL, which TOML does not allow, is escaped as well.
func quoted(text string) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string can be encoded, and a buffer takes all
	return strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\x7f", `\u007f`)
}
