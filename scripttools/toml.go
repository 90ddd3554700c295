package scripttools

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
)

// decodeTOML reads a header between +++ fences. first is the file's line of
// the block's first line. The decoder refuses duplicate keys itself; keys that
// the format does not know are found in the tree.
func decodeTOML(block []byte, first int) (t tree) {
	d := &tomlDecoder{first: first}
	defer func() {
		if cause := recover(); cause != nil { // as in decodeYAML
			d.root = nil
			d.flaw(place{first, 1}, "", "this is not TOML: %v", cause)
			t = d.tree
		}
	}()
	// The decoder keeps the places of keys to itself, and it is not bounded in
	// depth; the scan supplies both.
	scan := scanTOML(string(block), first)
	if scan.tooDeep {
		d.flaw(scan.at(), "", tooLarge)
		return d.tree
	}
	var values map[string]any
	if _, err := toml.Decode(string(block), &values); err != nil {
		d.syntax(string(block), err)
		return d.tree
	}
	d.scan = scan
	d.root = d.value(values, 0, place{first, 1})
	return d.tree
}

type tomlDecoder struct {
	tree
	first int
	scan  *tomlScan
	nodes int
}

func (d *tomlDecoder) syntax(block string, err error) {
	at, msg := place{d.first, 1}, err.Error()
	var parse toml.ParseError
	if errors.As(err, &parse) {
		msg = parse.Message
		at.line += max(parse.Position.Line, 1) - 1
		if lines := strings.Split(block, "\n"); parse.Position.Line >= 1 && parse.Position.Line <= len(lines) {
			line := lines[parse.Position.Line-1]
			at.col = utf8.RuneCountInString(line[:min(max(parse.Position.Col-1, 0), len(line))]) + 1
			if strings.Contains(msg, "already been defined") { // it points behind the key
				at.col = len(line) - len(strings.TrimLeft(line, " \t")) + 1
			}
		}
	}
	d.flaw(at, "", "this is not TOML: %s", message(msg))
}

// value turns what the decoder made into nodes. path is the value's place in
// the document, within the place of what holds it where that is not known.
func (d *tomlDecoder) value(v any, path tomlPath, within place) *node {
	n := &node{at: within, kind: kindBroken}
	found, known := d.scan.seen(path)
	if known {
		n.at = found.value
	}
	if d.nodes++; d.nodes > maxNodes {
		if d.nodes == maxNodes+1 {
			d.flaw(n.at, "", tooLarge)
		}
		return n
	}
	switch v := v.(type) {
	case bool:
		n.kind, n.text = kindBool, boolText(v)
	case int64:
		n.kind, n.text = kindNumber, strconv.FormatInt(v, 10)
	case float64:
		text, ok := floatText(v)
		if !ok {
			d.flaw(n.at, "quote it if it is meant as text", "the number is out of range")
			return n
		}
		n.kind, n.text = kindNumber, text
	case string:
		n.kind, n.text = kindText, v
		if known && found.width == utf8.RuneCountInString(v)+2 {
			n.inner = n.at.col + 1
		}
	case []any:
		return d.list(n, v, path)
	case []map[string]any:
		items := make([]any, len(v))
		for i := range v {
			items[i] = v[i]
		}
		return d.list(n, items, path)
	case map[string]any:
		return d.table(n, v, path)
	default:
		d.flaw(n.at, "quote it", "dates and times are not supported in a header")
		return n
	}
	return n
}

func (d *tomlDecoder) list(n *node, items []any, path tomlPath) *node {
	n.kind = kindList
	for i, item := range items {
		n.items = append(n.items, d.value(item, d.scan.item(path, i), n.at))
	}
	return n
}

func (d *tomlDecoder) table(n *node, table map[string]any, path tomlPath) *node {
	n.kind = kindMap
	var fields []field
	for key, item := range table {
		f := field{key: key, at: n.at}
		sub := d.scan.key(path, key)
		if found, ok := d.scan.seen(sub); ok {
			f.at = found.key
		}
		f.value = d.value(item, sub, f.at)
		fields = append(fields, f)
	}
	slices.SortFunc(fields, func(a, b field) int { // a Go map has no order; the file has
		return cmp.Or(cmp.Compare(a.at.line, b.at.line), cmp.Compare(a.at.col, b.at.col), cmp.Compare(a.key, b.key))
	})
	for _, f := range fields {
		d.add(n, f)
	}
	return n
}
