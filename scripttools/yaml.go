package scripttools

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
	"github.com/scriptrun/scriptrun/hostapi/yamlbound"
)

// decodeYAML reads a header between --- fences: one document of plain YAML
// 1.2, without tags, merge keys or keys that are not text. first is the file's
// line of the block's first line.
//
// The tree is walked here rather than decoded into a struct: so every problem
// is found, not only the first, each at its own place; numbers mean what they
// mean in YAML 1.2 (yes and off are text, 012 is refused as 1.1 and 1.2 differ
// on it); and aliases are bounded where they unfold.
func decodeYAML(block []byte, first int) (t tree) {
	d := &yamlDecoder{first: first, anchors: map[string]ast.Node{}}
	// The parser is not ours: should it panic, the header is refused like any
	// other that cannot be read.
	defer func() {
		if cause := recover(); cause != nil {
			d.root = nil
			d.flaw(place{first, 1}, "", "this is not YAML: %s", message(fmt.Sprint(cause)))
			t = d.tree
		}
	}()
	if i := bytes.IndexByte(block, '\r'); i >= 0 {
		d.flaw(place{first + bytes.Count(block[:i], []byte("\n")), 1}, "", "a carriage return inside a line")
		return d.tree
	}
	d.read(string(block))
	return d.tree
}

type yamlDecoder struct {
	tree
	first   int
	anchors map[string]ast.Node
	open    []string // aliases being followed
	nodes   int
	bytes   int
	full    bool
}

func (d *yamlDecoder) read(block string) {
	tokens := lexer.Tokenize(block)
	if at, what := headerBounds.Exceeded(tokens); what != "" {
		d.flaw(d.tokenPlace(at), "", tooLarge)
		return
	}
	// Duplicate keys are found here, all of them and with both places.
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		at, msg := place{d.first, 1}, err.Error()
		var e yaml.Error
		if errors.As(err, &e) {
			msg = e.GetMessage()
			at = d.tokenPlace(e.GetToken())
		}
		hint := ""
		if strings.Contains(msg, `'\t'`) || strings.Contains(msg, "'\t'") {
			hint = "write spaces where a line is indented; YAML takes no tabs there"
		}
		d.flaw(at, hint, "this is not YAML: %s", message(msg))
		return
	}
	d.root = &node{at: place{d.first, 1}, kind: kindMap}
	for i, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if i > 0 {
			d.flaw(d.place(doc.Body), "", "a header is one YAML document, without directives")
			d.root = nil
			return
		}
		d.root = d.value(doc.Body, 0)
	}
	if d.root.kind == kindBroken {
		d.root = nil
	} else if d.root.kind != kindMap {
		d.flaw(d.root.at, "write it as key: value", "a header is a map of keys and values, not %s", d.root.kind)
		d.root = nil
	}
}

// headerBounds are those of a header: one document, and far more keys than a
// person writes.
var headerBounds = yamlbound.Bounds{Tokens: maxNodes, Depth: maxDepth, Keys: 1000, Paths: 16 << 20, Empty: 10_000}

func (d *yamlDecoder) tokenPlace(tk *token.Token) place {
	if tk == nil || tk.Position == nil {
		return place{d.first, 1}
	}
	return place{d.first + tk.Position.Line - 1, tk.Position.Column}
}

// place is where a node begins; the token of a block map is its first colon.
func (d *yamlDecoder) place(n ast.Node) place {
	switch n := n.(type) {
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			return d.place(n.Values[0].Key)
		}
	case *ast.MappingValueNode:
		return d.place(n.Key)
	}
	return d.tokenPlace(n.GetToken())
}

// value walks one node; one that cannot be used is a flaw and comes out broken.
func (d *yamlDecoder) value(n ast.Node, depth int) *node {
	out := &node{at: d.place(n), kind: kindBroken}
	if d.nodes++; d.full || d.nodes > maxNodes || d.bytes > maxBytes || depth > maxDepth {
		if !d.full {
			d.flaw(out.at, "", tooLarge)
		}
		d.full = true
		return out
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		return d.mapping(out, n.Values, depth)
	case *ast.MappingValueNode:
		return d.mapping(out, []*ast.MappingValueNode{n}, depth)
	case *ast.SequenceNode:
		out.kind = kindList
		for _, item := range n.Values {
			out.items = append(out.items, d.value(item, depth+1))
		}
		return out
	case *ast.AnchorNode:
		d.anchors[n.Name.GetToken().Value] = n.Value
		return d.value(n.Value, depth+1)
	case *ast.AliasNode:
		return d.alias(out, n, depth)
	case *ast.TagNode:
		d.flaw(out.at, "leave the tag out", "YAML tags such as %s are not supported in a header", quote(n.GetToken().Value))
		return out
	}
	return d.scalar(out, n)
}

func (d *yamlDecoder) mapping(out *node, values []*ast.MappingValueNode, depth int) *node {
	out.kind = kindMap
	for _, pair := range values {
		key, ok := pair.Key.(*ast.StringNode)
		if !ok {
			what, hint := "this key is not text", "quote it"
			switch pair.Key.(type) {
			case *ast.MergeKeyNode:
				what, hint = "merge keys (<<) are not supported in a header", "repeat the keys"
			case *ast.MappingKeyNode:
				what, hint = "keys that are written with ? are not supported in a header", "write key: value"
			}
			d.flaw(d.place(pair.Key), hint, "%s", what)
			continue
		}
		d.bytes += len(key.Value)
		d.add(out, field{key: key.Value, at: d.place(key), value: d.value(pair.Value, depth+1)})
	}
	return out
}

// alias unfolds an alias; nodes and bytes are counted each time it is.
func (d *yamlDecoder) alias(out *node, n *ast.AliasNode, depth int) *node {
	name := n.Value.GetToken().Value
	target, ok := d.anchors[name]
	for _, open := range d.open {
		ok = ok && open != name
	}
	if !ok {
		d.flaw(out.at, "", "the alias *%s has no anchor &%s before it", word(name), word(name))
		return out
	}
	d.open = append(d.open, name)
	v := d.value(target, depth+1)
	d.open = d.open[:len(d.open)-1]
	v.at, v.inner = out.at, 0
	return v
}

func (d *yamlDecoder) scalar(out *node, n ast.Node) *node {
	switch n := n.(type) {
	case *ast.NullNode:
		out.kind = kindNull
	case *ast.BoolNode:
		out.kind, out.text = kindBool, boolText(n.Value)
	case *ast.IntegerNode:
		out.kind, out.text = kindNumber, fmt.Sprint(n.Value)
		d.checkZero(out, n.GetToken().Value)
	case *ast.FloatNode:
		text, _ := floatText(n.Value)
		out.kind, out.text = kindNumber, text
		d.checkZero(out, n.GetToken().Value)
		d.checkNumber(out)
	case *ast.InfinityNode, *ast.NanNode:
		d.flaw(out.at, "quote it if it is meant as text", "the number is out of range")
		return out
	case *ast.LiteralNode:
		out.kind, out.text = kindText, n.Value.Value
	case *ast.StringNode:
		d.plain(out, n)
	default:
		d.flaw(out.at, "", "%s is not supported in a header", strings.ToLower(n.Type().YAMLName()))
		return out
	}
	d.bytes += len(out.text)
	return out
}

// plain is text, or a number that only YAML 1.2 knows as one (1e3).
func (d *yamlDecoder) plain(out *node, n *ast.StringNode) {
	out.kind, out.text = kindText, n.Value
	switch n.GetToken().Type {
	case token.StringType:
		if leadingZero.MatchString(n.Value) {
			d.checkZero(out, n.Value)
		} else if decimal.MatchString(n.Value) {
			if v, err := strconv.ParseFloat(n.Value, 64); err == nil {
				out.text, _ = floatText(v)
			}
			out.kind = kindNumber
			d.checkNumber(out)
			return
		}
		out.inner = out.at.col
	case token.SingleQuoteType, token.DoubleQuoteType:
		out.inner = out.at.col + 1
	}
	if strings.ContainsAny(strings.TrimSpace(n.GetToken().Origin), "\n\\") || strings.Contains(n.Value, "'") {
		out.inner = 0
	}
}

func (d *yamlDecoder) checkZero(out *node, written string) {
	if leadingZero.MatchString(written) {
		d.flaw(out.at, "quote it if it is meant as text, or leave the zeros out",
			"%s begins with 0, which some versions of YAML read as octal", word(written))
	}
}
