package scripttools

import (
	"bytes"
	"errors"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// decodeTOML reads a header between +++ fences. first is the file's line of
// the block's first line.
func decodeTOML(block []byte, first int) (t tree) {
	d := &tomlDecoder{places: newPlaces(block, first)}
	defer func() {
		if cause := recover(); cause != nil { // as in decodeYAML
			d.root = nil
			d.flaw(place{first, 1}, "", "this is not TOML: %v", cause)
			t = d.tree
		}
	}()
	d.root = &node{at: place{first, 1}, kind: kindMap}
	d.document(block)
	if len(d.flaws) == 0 { // the parser knows the grammar only, not what may be defined twice
		var values map[string]any
		var bad *toml.DecodeError
		if err := toml.Unmarshal(block, &values); errors.As(err, &bad) {
			line, col := bad.Position()
			d.syntax(lineStart(block, line)+col-1, strings.TrimPrefix(bad.Error(), "toml: "))
		} else if err != nil {
			d.syntax(0, err.Error())
		}
	}
	return d.tree
}

type tomlDecoder struct {
	tree
	places
	nodes    int
	tooLarge bool
	read     int // the end of the last key or value that has a place, in bytes
}

// syntax gives up at a byte of what is not TOML.
func (d *tomlDecoder) syntax(at int, msg string) {
	d.root = nil
	d.flaw(d.place(at), "", "this is not TOML: %s", message(msg))
}

// document reads the whole block.
func (d *tomlDecoder) document(block []byte) {
	var parser unstable.Parser
	parser.Reset(block)
	table := d.root
	for !d.tooLarge && parser.NextExpression() {
		switch e := parser.Expression(); e.Kind {
		case unstable.KeyValue:
			d.pair(table, e, 0)
		case unstable.ArrayTable:
			within, f := d.dotted(d.root, e)
			list, ok := within.field(f.key)
			if !ok {
				list = f
				list.value = d.node(kindList, f.at)
				d.add(within, list)
			}
			table = d.node(kindMap, f.at)
			list.value.items = append(list.value.items, table)
		default:
			table = d.table(d.dotted(d.root, e))
		}
	}
	var bad *unstable.ParserError
	if err := parser.Error(); errors.As(err, &bad) {
		d.syntax(int(parser.Range(bad.Highlight).Offset), bad.Message)
	}
}

// node is a new node, and counts it.
func (d *tomlDecoder) node(kind kind, at place) *node {
	if d.nodes++; d.nodes > maxNodes {
		d.refuse(at)
	}
	return &node{at: at, kind: kind}
}

// refuse gives up on a header that is too large.
func (d *tomlDecoder) refuse(at place) {
	if !d.tooLarge {
		d.flaw(at, "", tooLarge)
	}
	d.tooLarge, d.root = true, nil
}

// at is the place of a key or a value that the parser placed.
func (d *tomlDecoder) at(n *unstable.Node) place {
	d.read = int(n.Raw.Offset + n.Raw.Length)
	return d.place(int(n.Raw.Offset))
}

// dotted follows a dotted key from a table to the table that holds its last part.
func (d *tomlDecoder) dotted(from *node, e *unstable.Node) (within *node, last field) {
	within = from
	parts := 0
	for keys := e.Key(); keys.Next(); parts++ {
		if parts > maxDepth {
			d.refuse(last.at)
			break
		}
		if parts > 0 {
			within = d.table(within, last)
		}
		last = field{key: string(keys.Node().Data), at: d.at(keys.Node())}
	}
	return within, last
}

// table is the table of a key, made if there is none. Of an array of tables it is the
// last. Where the key has another value the document is refused later.
func (d *tomlDecoder) table(within *node, f field) *node {
	have, ok := within.field(f.key)
	if !ok {
		f.value = d.node(kindMap, f.at)
		d.add(within, f)
		return f.value
	}
	if items := have.value.items; len(items) > 0 {
		return items[len(items)-1]
	}
	return have.value
}

func (d *tomlDecoder) pair(table *node, e *unstable.Node, depth int) {
	within, f := d.dotted(table, e)
	f.value = d.value(e.Value(), depth)
	d.add(within, f)
}

func (d *tomlDecoder) value(v *unstable.Node, depth int) *node {
	if v.Kind == unstable.Array {
		return d.list(v, depth)
	}
	n := d.node(kindBroken, d.at(v))
	switch v.Kind {
	case unstable.Bool:
		n.kind, n.text = kindBool, string(v.Data)
	case unstable.Integer:
		number, err := strconv.ParseInt(string(v.Data), 0, 64)
		if err != nil {
			d.flaw(n.at, "quote it if it is meant as text", "the number is out of range")
			return n
		}
		n.kind, n.text = kindNumber, strconv.FormatInt(number, 10)
	case unstable.Float:
		number, err := strconv.ParseFloat(strings.ReplaceAll(string(v.Data), "_", ""), 64)
		text, ok := floatText(number)
		if err != nil || !ok {
			d.flaw(n.at, "quote it if it is meant as text", "the number is out of range")
			return n
		}
		n.kind, n.text = kindNumber, text
	case unstable.String:
		n.kind, n.text = kindText, string(v.Data)
		if int(v.Raw.Length) == len(v.Data)+len(`""`) { // no escapes
			n.inner = n.at.col + 1
		}
	case unstable.InlineTable:
		n.kind = kindMap
		if depth > maxDepth {
			d.refuse(n.at)
		}
		for pairs := v.Children(); !d.tooLarge && pairs.Next(); {
			d.pair(n, pairs.Node(), depth+1)
		}
	default:
		d.flaw(n.at, "quote it", "dates and times are not supported in a header")
	}
	return n
}

// list reads an array. The parser does not place it: it is at the first bracket after
// what was read before.
func (d *tomlDecoder) list(v *unstable.Node, depth int) *node {
	for d.block[d.read] != '[' {
		if d.block[d.read] == '#' { // a comment may have brackets
			d.read += bytes.IndexByte(d.block[d.read:], '\n')
		}
		d.read++
	}
	n := d.node(kindList, d.place(d.read))
	d.read++
	if depth > maxDepth {
		d.refuse(n.at)
	}
	for items := v.Children(); !d.tooLarge && items.Next(); {
		n.items = append(n.items, d.value(items.Node(), depth+1))
	}
	return n
}
