package settings

import (
	"bytes"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2/unstable"
	"github.com/scriptrun/scriptrun/hostapi/spelling"
)

// places says where the keys of a text stand.
type places struct {
	path string
	text []byte
	keys map[string][]int // bytes, by the names of keys and tables
	// items are the byte offsets of the items of lists, and of lists of tables.
	items  map[string][]int
	parser unstable.Parser
	// last is the place found last: most are asked for in order, and there may be
	// thousands on one line.
	last struct{ at, line, col int }
}

// walk checks that each key of a text is known and that its value has the key's type.
// It stops without an error where the text is not TOML: the decoder reports that
// better.
func walk(path string, text []byte) (*places, error) {
	p := &places{path: path, text: text, keys: map[string][]int{}, items: map[string][]int{}}
	p.parser.Reset(text)
	table := ""
	for p.parser.NextExpression() {
		e := p.parser.Expression()
		if e.Kind == unstable.KeyValue {
			if err := p.pair(table, e); err != nil {
				return p, err
			}
			continue
		}
		name, at, err := p.name("", e)
		if err == nil {
			err = p.value(name, at, e)
		}
		if err != nil {
			return p, err
		}
		table = name
	}
	return p, nil
}

// name is the full name of a node's key below a table, and its offset. A part that
// contains a dot is quoted, so that it cannot look like two parts. A key may lead
// through a table, and through a list of tables that has begun.
func (p *places) name(table string, n *unstable.Node) (name string, at int, err error) {
	at = -1
	for keys := n.Key(); keys.Next(); {
		part := string(keys.Node().Data)
		if strings.Contains(part, ".") || part == "" {
			part = strconv.Quote(part)
		}
		typ := typeOf(name)
		if at >= 0 && typ != nil && typ.Kind() == reflect.Slice && (n.Kind == unstable.KeyValue || len(p.items[name]) == 0) {
			return "", 0, p.mistake(at, fmt.Errorf("%s: expected %s", name, expected(name, typ, n)))
		}
		if at < 0 {
			name, at = table, int(keys.Node().Raw.Offset)
		}
		if name != "" {
			part = name + "." + part
		}
		if name = part; typeOf(name) == nil {
			break // a file may write any number of parts
		}
	}
	return name, at, nil
}

func (p *places) pair(table string, n *unstable.Node) error {
	name, at, err := p.name(table, n)
	if err != nil {
		return err
	}
	return p.value(name, at, n.Value())
}

// value checks the value, or the table heading, of the name at an offset.
func (p *places) value(name string, at int, v *unstable.Node) error {
	typ := typeOf(name)
	if typ == nil {
		return p.mistake(at, unknownKey(name))
	}
	p.keys[name] = append(p.keys[name], at)
	if !takes(typ, v.Kind) {
		if v.Raw.Length > 0 {
			at = int(v.Raw.Offset)
		}
		return p.mistake(at, fmt.Errorf("%s: expected %s", name, expected(name, typ, v)))
	}
	switch v.Kind {
	case unstable.ArrayTable:
		p.items[name] = append(p.items[name], at)
	case unstable.InlineTable:
		for pairs := v.Children(); pairs.Next(); {
			if err := p.pair(name, pairs.Node()); err != nil {
				return err
			}
		}
	case unstable.Array:
		for items := v.Children(); items.Next(); {
			if err := p.entry(name, at, typ, items.Node()); err != nil {
				return err
			}
		}
	default: // it has no parts
	}
	return nil
}

// entry checks one item of a list.
func (p *places) entry(name string, at int, list reflect.Type, v *unstable.Node) error {
	if v.Raw.Length > 0 {
		at = int(v.Raw.Offset)
	}
	if list.Kind() != reflect.Slice {
		return nil // the check of the key looks at it
	}
	if !takes(list.Elem(), v.Kind) {
		return p.mistake(at, fmt.Errorf("%s: expected %s", name, expected(name, list, v)))
	}
	p.items[name] = append(p.items[name], at)
	for pairs := v.Children(); v.Kind == unstable.InlineTable && pairs.Next(); {
		if err := p.pair(name, pairs.Node()); err != nil {
			return err
		}
	}
	return nil
}

// takes reports whether a type accepts values of a kind.
func takes(typ reflect.Type, kind unstable.Kind) bool {
	switch typ.Kind() {
	case reflect.String:
		return kind == unstable.String
	case reflect.Bool:
		return kind == unstable.Bool
	case reflect.Pointer:
		return takes(typ.Elem(), kind)
	case reflect.Int, reflect.Int64:
		return kind == unstable.Integer
	case reflect.Slice:
		return kind == unstable.Array || kind == unstable.ArrayTable && typ.Elem().Kind() == reflect.Struct
	case reflect.Struct, reflect.Map:
		return kind == unstable.InlineTable || kind == unstable.Table
	default:
		return kind != unstable.Table && kind != unstable.ArrayTable
	}
}

// expected says what a key accepts, with the given value as an example if that may be
// meant.
func expected(name string, typ reflect.Type, given *unstable.Node) string {
	switch typ.Kind() {
	case reflect.String:
		if given.Kind == unstable.Integer || given.Kind == unstable.Float {
			return fmt.Sprintf("text: %q", given.Data)
		}
		return `text: "…"`
	case reflect.Slice:
		if typ.Elem().Kind() == reflect.Struct {
			return fmt.Sprintf("tables: [[%s]]", name)
		}
		if given.Kind == unstable.String {
			return fmt.Sprintf("a list: [%q]", given.Data)
		}
		return `a list: ["…"]`
	case reflect.Struct:
		return fmt.Sprintf("a table: [%s]", name)
	case reflect.Map:
		return `a table: {NAME = "…"}`
	case reflect.Int, reflect.Int64:
		return "a whole number: 5000"
	case reflect.Bool, reflect.Pointer:
		return "true or false"
	default:
		return "a value, not a table"
	}
}

// unknownKey suggests the nearest key, or else lists all of them.
func unknownKey(name string) error {
	var names, known []string
	for _, k := range keys {
		known = append(known, k.name)
		if dot := strings.LastIndexByte(k.name, '.'); dot >= 0 {
			names = append(names, k.name[:dot])
		}
	}
	if near := spelling.Nearest(name, append(names, known...)); near != "" {
		return fmt.Errorf("unknown key %s; did you mean %s?", name, near)
	}
	return fmt.Errorf("unknown key %s; the keys are %s", name, strings.Join(known, ", "))
}

// has reports whether the text has a key.
func (p *places) has(key string) bool { return len(p.keys[key]) > 0 }

// key is the offset of a key's first place; below zero if the text lacks it.
func (p *places) key(name string) int {
	if !p.has(name) {
		return -1
	}
	return p.keys[name][0]
}

// item is the offset of an item in a list, or in a list of tables.
func (p *places) item(list string, i int) int {
	if all := p.items[list]; i < len(all) {
		return all[i]
	}
	return p.key(list)
}

// mistake is an error at an offset; below zero it has no place.
func (p *places) mistake(at int, err error) error {
	line, col := p.place(at)
	return &placedError{path: p.path, line: line, col: col, err: err}
}

// place is the line and column of an offset, from 1; columns count characters.
func (p *places) place(at int) (line, col int) {
	if at < 0 {
		return 0, 0
	}
	if at = min(at, len(p.text)); at < p.last.at || p.last.line == 0 {
		p.last.at, p.last.line, p.last.col = 0, 1, 1
	}
	since := p.text[p.last.at:at]
	if line := bytes.Count(since, []byte("\n")); line > 0 {
		p.last.line, p.last.col = p.last.line+line, 1
		since = since[bytes.LastIndexByte(since, '\n')+1:]
	}
	p.last.at, p.last.col = at, p.last.col+utf8.RuneCount(since)
	return p.last.line, p.last.col
}

// offset is the offset of a line and a column that counts bytes.
func (p *places) offset(line, col int) (at int) {
	for ; line > 1; line-- {
		next := bytes.IndexByte(p.text[at:], '\n')
		if next < 0 {
			break
		}
		at += next + 1
	}
	return at + col - 1
}
